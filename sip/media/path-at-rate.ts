/** The sound of a call whose codec has become another one has the rate that it had. */
import { createRateChange, type RateChange } from '../rate-change.ts';
import type { Resample } from '../resampler.ts';
import type { SampleRate } from '../samples.ts';
import type { SoundPath } from './endpoint.ts';

/** Sound that comes in at one rate or another goes on at this one. */
export const createRateFollower = (resample: Resample, callRate: SampleRate) => {
  let current: { from: SampleRate; change: RateChange } | null = null;
  return {
    take(samples: Int16Array, from: SampleRate): Int16Array {
      if (current?.from !== from) current = { from, change: createRateChange(resample, from, callRate) };
      return current.change.take(samples);
    },
  };
};

/** A path that takes samples at the rate of the call, and counts them so. */
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
