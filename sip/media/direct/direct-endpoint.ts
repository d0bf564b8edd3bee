/** Audio of a call carried by this process itself, without a media server: RTP as sent by telephones. */
import type { SoundFigures } from '#machines/sound-figures.ts';
import type { Clock } from '#src/domain/clock.ts';
import { usualCodecs, type Trunk } from '#src/domain/trunk.ts';
import { createLineTime } from '../../line-time.ts';
import { telephoneRate } from '../../samples.ts';
import { addressText, callFigures } from '../call-figures.ts';
import { NoPlace, type MediaEndpoint, type SoundEvents, type SoundPath } from '../media-endpoint.ts';
import { createSoundPath } from '../sound-path.ts';
import type { Figures } from '../thread/sound-thread-messages.ts';
import type { SoundChannel, SoundThread } from '../thread/sound-thread.ts';
import { createNegotiation, type Encryption } from './negotiation.ts';

export type DirectOptions = {
  thread: Pick<SoundThread, 'open'>;
  /** Address of this machine that trunks reach. */
  address: string;
  clock: Clock;
  /** Without RTP for this time, a call has lost its audio; 0 for never. */
  rtpTimeoutMs: number;
};

const noStream = { loss: null, jitterMs: null } as const;

/** Interval of checks whether RTP still arrives. */
const lookMs = 1_000;

/** State of the endpoint until it is lost or destroyed; a loss is reported to all listeners, including later ones. */
const createFate = () => {
  const listeners: ((reason: string | null) => void)[] = [];
  let fate: { is: 'standing' | 'destroyed' } | { is: 'lost'; reason: string | null } = { is: 'standing' };
  return {
    isStanding: (): boolean => fate.is === 'standing',
    lose(reason: string | null): void {
      if (fate.is !== 'standing') return;
      fate = { is: 'lost', reason };
      for (const listener of listeners) listener(reason);
    },
    destroy(): void {
      fate = { is: 'destroyed' };
    },
    onLost(listener: (reason: string | null) => void): void {
      if (fate.is === 'lost') {
        const { reason } = fate;
        queueMicrotask(() => listener(reason));
      } else listeners.push(listener);
    },
  };
};

const figuresOf = (
  { received, lost, jitterMs, sent, lossThere, jitterThereMs, remote, ...reported }: Figures,
  { codec, localAddress }: Pick<SoundFigures, 'codec' | 'localAddress'>,
): SoundFigures =>
  callFigures({
    codec,
    localAddress,
    remoteAddress: remote && addressText(remote.address, remote.port),
    received: {
      packets: received,
      ...(received === 0 ? noStream : { loss: lost / (received + lost), jitterMs }),
    },
    sent: { packets: sent, loss: lossThere, jitterMs: jitterThereMs },
    roundTripMs: reported.roundTripMs,
    isHeardThere: reported.isHeardThere,
    isSentThere: reported.isSentThere,
  });

type DirectTerms = Pick<Trunk, 'codecs'> & Encryption;

const openChannel = async (
  offer: string | undefined,
  { codecs, ...encryption }: DirectTerms,
  options: DirectOptions,
) => {
  const { thread, address } = options;
  const channel: SoundChannel = await thread.open(address).catch((cause: unknown) => {
    throw new NoPlace('No port for the sound of a call is free', { cause });
  });
  const negotiation = createNegotiation({ address, port: channel.port }, encryption, channel.agree);
  try {
    const localSdp =
      offer === undefined ? negotiation.offer(codecs ?? usualCodecs) : negotiation.answer(offer);
    return { channel, negotiation, localSdp };
  } catch (error) {
    channel.close();
    throw error;
  }
};

/** Takes the far end's offer, or makes an offer without one. Rejects with `NothingInCommon` or `NoPlace`. */
export const createDirectEndpoint = async (
  offer: string | undefined,
  terms: DirectTerms,
  options: DirectOptions,
): Promise<MediaEndpoint> => {
  const { channel, negotiation, localSdp } = await openChannel(offer, terms, options);
  const time = createLineTime(options.clock, 1);
  const fate = createFate();
  const digitListeners: ((digit: string) => void)[] = [];
  let sound: { path: SoundPath; events: SoundEvents } | null = null;

  channel.listen({
    onSound: (samples) => sound?.events.onAudio(samples),
    onKey: (key) => digitListeners.forEach((listener) => listener(key)),
    onLost() {
      sound?.events.onLost();
      fate.lose(null);
    },
  });

  const watchSilence = (): void => {
    const { silentMs } = channel.figures();
    if (silentMs !== null && silentMs >= options.rtpTimeoutMs) fate.lose('MEDIA_TIMEOUT');
    if (fate.isStanding()) time.after(lookMs, watchSilence);
  };
  if (options.rtpTimeoutMs > 0) time.after(lookMs, watchSilence);

  const hasTelephoneEvents = (): boolean => (negotiation.agreed()?.keysPayloadType ?? null) !== null;

  const destroy = async (): Promise<void> => {
    fate.destroy();
    time.stop();
    sound?.path.close();
    channel.close();
  };

  return {
    channel: () => null,
    bridgeSide: () => null,
    localSdp,
    sampleRate: () => telephoneRate,
    modify: async (remoteSdp) => negotiation.answer(remoteSdp),
    answerEarly: async (remoteSdp) => negotiation.answerEarly(remoteSdp),
    takeAnswer: async (remoteSdp) => negotiation.takeAnswer(remoteSdp),
    async connect(events, sampleRate) {
      if (sampleRate !== telephoneRate) throw new Error(`Sound is carried here at ${telephoneRate} Hz alone`);
      const path = createSoundPath(channel.sound, telephoneRate, time);
      sound = { path, events };
      return path;
    },
    async press(keys) {
      if (!hasTelephoneEvents()) throw new Error('The far end takes no telephone events');
      channel.press(keys);
    },
    hasTelephoneEvents,
    onDigit: (listener) => void digitListeners.push(listener),
    async figures() {
      const codec = negotiation.agreed()?.codec ?? null;
      const localAddress = addressText(options.address, channel.port);
      return figuresOf(await channel.measured(), { codec, localAddress });
    },
    onLost: fate.onLost,
    lose: () => fate.lose(null),
    leave: destroy,
    destroy,
  };
};
