/**
 * A sound that comes piece by piece, at another rate: the pieces are resampled as if they were one. Samples are taken in
 * units that are a whole number of samples at both rates, and the last few milliseconds wait for what follows them.
 */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { resamplingReach, type Resample } from './resampler.ts';

export type RateChange = {
  /** The next piece; what can be said of the sound by now comes back. */
  take(samples: Int16Array): Int16Array;
  /** The sound is over: what waited comes back. */
  end(): Int16Array;
};

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Rates are whole numbers of hertz. */
export const createRateChange = (resample: Resample, fromRate: number, toRate: number): RateChange => {
  const unit = fromRate / divisor(fromRate, toRate);
  const context = unit * Math.ceil(resamplingReach(fromRate, toRate) / unit);
  const changedLength = (count: number): number => (count * toRate) / fromRate;
  /** The last samples: so many before those that are to be said as the filter reaches, and what waits. */
  let rest: Int16Array = new Int16Array();
  let before = 0;

  if (fromRate === toRate) return { take: (samples) => samples, end: () => new Int16Array() };
  return {
    take(samples) {
      rest = rest.length === 0 ? samples : joinSamples([rest, samples]);
      const until = rest.length - context - (rest.length % unit);
      if (until <= before) return new Int16Array();
      const changed = resample(rest, fromRate, toRate).subarray(changedLength(before), changedLength(until));
      const kept = Math.max(0, until - context);
      rest = rest.slice(kept);
      before = until - kept;
      return changed;
    },
    end: () => resample(rest, fromRate, toRate).subarray(changedLength(before)),
  };
};
