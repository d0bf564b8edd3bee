/** Half the width of the filter, in zero crossings: enough for speech. */
const lobes = 6;

const windowedSinc = (x: number): number => {
  if (x === 0) return 1;
  if (Math.abs(x) >= lobes) return 0;
  const angle = Math.PI * x;
  return (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / lobes));
};

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
      const weight = windowedSinc((near - center) / width);
      sum += (samples[near] ?? 0) * weight;
      weights += weight;
    }
    // Typed arrays wrap around; the ripple of the filter must not turn a loud sample into a crack.
    result[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum / weights)));
  }
  return result;
};
