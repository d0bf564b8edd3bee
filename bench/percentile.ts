/** The value below which the given share (0 to 1) of the samples lies; NaN without samples. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** The median, so that neither a lucky nor a disturbed round decides. */
export const median = (samples: readonly number[]): number => percentile(samples, 0.5);
