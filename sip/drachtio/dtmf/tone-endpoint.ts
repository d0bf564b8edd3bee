import { createToneDetector } from '#sip/audio/listening/dtmf-tones.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';

/**
 * Wraps the endpoint. While telephone events are not negotiated, DTMF tones in the endpoint's audio are detected and
 * reported as digits.
 */
export const withTones = (endpoint: MediaEndpoint, onDigit: (digit: string) => void): MediaEndpoint => ({
  ...endpoint,
  connect(events, sampleRate) {
    const detect = createToneDetector(sampleRate, onDigit);
    const onAudio = (samples: Int16Array): void => {
      if (!endpoint.hasTelephoneEvents()) detect(samples);
      events.onAudio(samples);
    };
    return endpoint.connect({ ...events, onAudio }, sampleRate);
  },
});
