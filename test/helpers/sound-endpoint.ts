/** A media endpoint at 8000 Hz that only supports `connect`: audio arrives and leaves without a network. */
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { telephoneRate } from '#sip/audio/samples.ts';

const unused = (): never => {
  throw new Error('This endpoint carries audio only');
};

export const soundEndpoint = (connect: MediaEndpoint['connect']): MediaEndpoint => ({
  channel: () => null,
  bridgeSide: () => null,
  localSdp: '',
  sampleRate: () => telephoneRate,
  modify: unused,
  answerEarly: unused,
  takeAnswer: unused,
  connect,
  press: unused,
  hasTelephoneEvents: () => true,
  onDigit() {},
  statistics: async () => null,
  onLost() {},
  lose() {},
  leave: async () => {},
  destroy: async () => {},
});
