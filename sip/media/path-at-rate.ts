/** Keeps the sample rate of a call constant after a codec change. */
import { createRateChange } from '../rate-change.ts';
import type { Resample } from '../resampler.ts';
import type { SampleRate } from '../samples.ts';
import type { SoundPath } from './media-endpoint.ts';

/** A path that takes and counts samples at the rate of the call. */
export const createPathAtRate = (
  path: SoundPath,
  { callRate, pathRate }: { callRate: SampleRate; pathRate: SampleRate },
  resample: Resample,
): SoundPath => {
  if (callRate === pathRate) return path;
  let change = createRateChange(resample, callRate, pathRate);
  const inCall = (samples: number): number => Math.round((samples * callRate) / pathRate);
  return {
    send(samples) {
      const changed = change.take(samples);
      if (changed.length > 0) path.send(changed);
    },
    whenPlayed: (callback) => path.whenPlayed(callback),
    waiting: () => inCall(path.waiting()),
    takeBack() {
      change = createRateChange(resample, callRate, pathRate);
      return inCall(path.takeBack());
    },
    close: () => path.close(),
  };
};
