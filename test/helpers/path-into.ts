import { createAudioPath, type CarriedAudioPath } from '#sip/audio/audio-path.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { SampleRing } from '#sip/audio/sample-ring.ts';
import type { SampleRate } from '#sip/audio/samples.ts';

/** An audio path that plays into this ring, at the rate of the call. */
export const pathInto = (
  ring: SampleRing,
  rate: SampleRate,
  time: Pick<LineTime, 'after'>,
): CarriedAudioPath => {
  const path = createAudioPath(rate, time);
  path.connect(ring, rate);
  return path;
};
