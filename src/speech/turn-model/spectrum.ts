/** Discrete Fourier transform of 400 samples, computed as twenty transforms of twenty. */

export const windowLength = 400;
/** Number of frequencies, from 0 to half of the sample rate. */
export const spectrumLength = 201;

const side = 20;

const cosines = Float64Array.from({ length: windowLength }, (_, n) =>
  Math.cos((2 * Math.PI * n) / windowLength),
);
const sines = Float64Array.from(
  { length: windowLength },
  (_, n) => -Math.sin((2 * Math.PI * n) / windowLength),
);

/** Transforms twenty values at distance `step`, rotates each by `turn` times its index, and writes them to `to`. */
const transformSide = (
  [re, im]: readonly [Float64Array, Float64Array],
  from: number,
  [toRe, toIm]: readonly [Float64Array, Float64Array],
  turn: number,
): void => {
  for (let k = 0; k < side; k += 1) {
    let sumRe = 0;
    let sumIm = 0;
    let angle = turn * k;
    for (let n = 0; n < side; n += 1) {
      const cos = cosines[angle] ?? 0;
      const sin = sines[angle] ?? 0;
      const a = re[from + n * side] ?? 0;
      const b = im[from + n * side] ?? 0;
      sumRe += a * cos - b * sin;
      sumIm += a * sin + b * cos;
      angle += k * side;
      if (angle >= windowLength) angle -= windowLength;
    }
    toRe[from * side + k] = sumRe;
    toIm[from * side + k] = sumIm;
  }
};

/** Returns the power spectra of two windows, because one complex transform handles two real ones. */
export const createPowers = (): ((
  one: Float64Array,
  other: Float64Array,
) => readonly [Float64Array, Float64Array]) => {
  const turned = [new Float64Array(windowLength), new Float64Array(windowLength)] as const;
  const whole = [new Float64Array(windowLength), new Float64Array(windowLength)] as const;
  const powers = [new Float64Array(spectrumLength), new Float64Array(spectrumLength)] as const;
  return (one, other) => {
    for (let at = 0; at < side; at += 1) transformSide([one, other], at, turned, at);
    for (let at = 0; at < side; at += 1) transformSide(turned, at, whole, 0);
    // Returns the index of a frequency: the transform leaves frequency `k * side + at` at index `at * side + k`.
    const placeOf = (frequency: number): number => (frequency % side) * side + Math.floor(frequency / side);
    const [re, im] = whole;
    for (let frequency = 0; frequency < spectrumLength; frequency += 1) {
      const place = placeOf(frequency);
      const mirror = placeOf((windowLength - frequency) % windowLength);
      const [a, b] = [re[place] ?? 0, im[place] ?? 0];
      const [c, d] = [re[mirror] ?? 0, im[mirror] ?? 0];
      powers[0][frequency] = ((a + c) ** 2 + (b - d) ** 2) / 4;
      powers[1][frequency] = ((b + d) ** 2 + (a - c) ** 2) / 4;
    }
    return powers;
  };
};
