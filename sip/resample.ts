/** Half the width of the filter, in zero crossings: enough for speech. */
const lobes = 4;

/** Values of the filter between two zero crossings: so many that the nearest one is good enough. */
const steps = 1_024;

/** One side of the filter, which is even; computed once, for sines are dear. */
const filter = Float64Array.from({ length: lobes * steps + 1 }, (_, index) => {
  const angle = (Math.PI * index) / steps;
  return index === 0 ? 1 : (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / lobes));
});

/**
 * Fits audio into another number of samples over the same time, by a windowed sinc (Hann). `ratio` is old samples per
 * new sample: 22050/16000 turns the one rate into the other. Frequencies that the new rate cannot carry are removed.
 */
export const resample = (samples: Int16Array, ratio: number): Int16Array => {
  if (ratio === 1) return samples;
  const result = new Int16Array(Math.floor(samples.length / ratio));
  const width = Math.max(1, ratio);
  const reach = Math.ceil(lobes * width);
  for (let index = 0; index < result.length; index += 1) {
    const center = index * ratio;
    const middle = Math.floor(center);
    const last = Math.min(samples.length - 1, middle + reach);
    let sum = 0;
    let weights = 0;
    for (let near = Math.max(0, middle - reach); near <= last; near += 1) {
      const weight = filter[Math.round((Math.abs(near - center) / width) * steps)] ?? 0;
      sum += (samples[near] ?? 0) * weight;
      weights += weight;
    }
    // Typed arrays wrap around; the ripple of the filter must not turn a loud sample into a crack.
    result[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum / weights)));
  }
  return result;
};
