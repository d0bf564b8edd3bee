/**
 * Another number of samples for the same sound. SpeexDSP (@echogarden/speex-resampler-wasm 0.3.0, quality 4) is better
 * by measurement, 24000 to 8000 Hz in one run: 3400 Hz lose nothing there and 2.2 dB here, 4400 Hz are folded back at
 * less than -84 dB there and -10 dB here, a second takes 0.8 ms there and 3.0 here (16000 Hz: 0.5 and 1.1; 22050 Hz: 5.0
 * and 2.5). It is loaded asynchronously, which its users, who resample in one go, do not wait for yet.
 */

/** Half the width of the filter, in zero crossings: enough for speech. */
const lobes = 4;

/** Values of the filter between two zero crossings: so many that the nearest one is good enough. */
const steps = 1_024;

/** One side of the filter, which is even; computed once, for sines are dear. */
const filter = Float64Array.from({ length: lobes * steps + 1 }, (_, index) => {
  const angle = (Math.PI * index) / steps;
  return index === 0 ? 1 : (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / lobes));
});

/** More phases than this are not worth their memory. */
const maxPhases = 1_000;

/** The weights of the samples from `-reach` to `reach` around a new sample, one set for each place between two old ones. */
type Kernels = { reach: number; phases: readonly Float64Array[] };

const remembered = new Map<number, Kernels | null>();

const weightAt = (distance: number, width: number): number =>
  filter[Math.round((Math.abs(distance) / width) * steps)] ?? 0;

/** The places repeat themselves where the rates have a small common measure: 441/160 has 160 of them. */
const kernelsOf = (ratio: number): Kernels | null => {
  const width = Math.max(1, ratio);
  const reach = Math.ceil(lobes * width);
  for (let count = 1; count <= maxPhases; count += 1) {
    if (Math.abs(ratio * count - Math.round(ratio * count)) > 1e-9) continue;
    const phases = Array.from({ length: count }, (_, phase) => {
      const place = phase * ratio - Math.floor(phase * ratio + 1e-9);
      const weights = Float64Array.from({ length: 2 * reach + 1 }, (_weight, index) =>
        weightAt(index - reach - place, width),
      );
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return weights.map((weight) => weight / sum);
    });
    return { reach, phases };
  }
  return null;
};

const kernelsFor = (ratio: number): Kernels | null => {
  const known = remembered.get(ratio);
  if (known !== undefined) return known;
  const kernels = kernelsOf(ratio);
  // A handful of rates is in use; others come from sound that is stretched, each once.
  if (kernels !== null) remembered.set(ratio, kernels);
  return kernels;
};

/** Typed arrays wrap around; the ripple of the filter must not turn a loud sample into a crack. */
const clamped = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value)));

/** One new sample anywhere, also where the filter reaches over an end. */
const sampleAt = (samples: Int16Array, center: number, ratio: number): number => {
  const width = Math.max(1, ratio);
  const reach = Math.ceil(lobes * width);
  const middle = Math.floor(center);
  const last = Math.min(samples.length - 1, middle + reach);
  let sum = 0;
  let weights = 0;
  for (let near = Math.max(0, middle - reach); near <= last; near += 1) {
    const weight = weightAt(near - center, width);
    sum += (samples[near] ?? 0) * weight;
    weights += weight;
  }
  return clamped(sum / weights);
};

/**
 * Fits audio into another number of samples over the same time, by a windowed sinc (Hann). `ratio` is old samples per
 * new sample: 22050/16000 turns the one rate into the other. Frequencies that the new rate cannot carry are removed.
 */
export const resample = (samples: Int16Array, ratio: number): Int16Array => {
  if (ratio === 1) return samples;
  const result = new Int16Array(Math.floor(samples.length / ratio));
  const kernels = kernelsFor(ratio);
  for (let index = 0; index < result.length; index += 1) {
    const center = index * ratio;
    const kernel = kernels?.phases[index % kernels.phases.length];
    const from = Math.floor(center + 1e-9) - (kernels?.reach ?? 0);
    if (kernel === undefined || from < 0 || from + kernel.length > samples.length) {
      result[index] = sampleAt(samples, center, ratio);
      continue;
    }
    let sum = 0;
    for (let tap = 0; tap < kernel.length; tap += 1) sum += (samples[from + tap] ?? 0) * (kernel[tap] ?? 0);
    result[index] = clamped(sum);
  }
  return result;
};
