/**
 * Streaming resampler: pieces are resampled as one continuous signal. Samples are processed in units that are whole
 * numbers at both rates; the last few milliseconds wait for the next piece.
 */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { resamplingReach, type Resample } from './resampler.ts';

export type RateChange = {
  /** Processes the next piece and returns the samples that are complete. */
  take(samples: Int16Array): Int16Array;
  /** The signal has ended: returns the remaining samples. */
  end(): Int16Array;
};

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Sample rates are whole numbers in Hz. */
export const createRateChange = (resample: Resample, fromRate: number, toRate: number): RateChange => {
  const unit = fromRate / divisor(fromRate, toRate);
  const context = unit * Math.ceil(resamplingReach(fromRate, toRate) / unit);
  const changedLength = (count: number): number => (count * toRate) / fromRate;
  /** The filter's history before the next output, and waiting samples. */
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
