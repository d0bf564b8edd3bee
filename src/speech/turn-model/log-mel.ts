/**
 * Log-mel features as Whisper models expect them: log power in 80 mel bands every 10 ms
 * (github.com/huggingface/transformers, WhisperFeatureExtractor with `do_normalize`).
 */
import { createPowers, spectrumLength, windowLength } from './spectrum.ts';

export const modelRate = 16_000;
export const bands = 80;
const hopLength = 160;
const half = windowLength / 2;

/** Slaney's mel scale: linear up to 1000 Hz, logarithmic above. */
const melOf = (hertz: number): number =>
  hertz < 1_000 ? (3 * hertz) / 200 : 15 + (Math.log(hertz / 1_000) * 27) / Math.log(6.4);
const hertzOf = (mel: number): number =>
  mel < 15 ? (200 * mel) / 3 : 1_000 * Math.exp(((mel - 15) * Math.log(6.4)) / 27);

type Band = { from: number; weights: Float64Array };

/** Triangular filters of equal area. */
const makeBands = (): Band[] => {
  const top = melOf(modelRate / 2);
  const edges = Array.from({ length: bands + 2 }, (_, index) => hertzOf((top * index) / (bands + 1)));
  return Array.from({ length: bands }, (_, band) => {
    const [low = 0, middle = 0, high = 0] = edges.slice(band, band + 3);
    const all = Array.from({ length: spectrumLength }, (_, bin) => {
      const hertz = (bin * modelRate) / windowLength;
      const height = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
      return (Math.max(0, height) * 2) / (high - low);
    });
    const from = all.findIndex((weight) => weight > 0);
    const to = all.findLastIndex((weight) => weight > 0) + 1;
    return { from, weights: Float64Array.from(all.slice(from, to)) };
  });
};

export const melBands: readonly Band[] = makeBands();

/** Window function (periodic Hann). */
const fade = Float64Array.from(
  { length: windowLength },
  (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / windowLength),
);

/** Normalizes samples to zero mean and unit variance. */
const normalized = (samples: Float64Array): Float64Array => {
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  const variance = samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / samples.length;
  const scale = 1 / Math.sqrt(variance + 1e-7);
  return samples.map((sample) => (sample - mean) * scale);
};

/** Range of log power below the loudest band; lower values are raised to its end. */
const range = 8;

const compress = (features: Float32Array): void => {
  const floor = features.reduce((most, value) => Math.max(most, value), -Infinity) - range;
  features.forEach((value, index) => (features[index] = (Math.max(value, floor) + 4) / 4));
};

/**
 * Computes the features. The input is samples from -1 to 1 at 16000 Hz, a multiple of 20 ms. The output has one row per
 * band with a value per 10 ms.
 */
export const logMel = (samples: Float64Array): Float32Array => {
  const sound = normalized(samples);
  const frames = sound.length / hopLength;
  const features = new Float32Array(bands * frames);
  const powersOf = createPowers();

  /** Copies a window. Frames are centred, and the signal is mirrored at its ends. */
  const windowAt = (frame: number, window: Float64Array): Float64Array => {
    for (let n = 0; n < windowLength; n += 1) {
      const at = Math.abs(frame * hopLength + n - half);
      const inside = at < sound.length ? at : 2 * (sound.length - 1) - at;
      window[n] = (sound[inside] ?? 0) * (fade[n] ?? 0);
    }
    return window;
  };
  const put = (frame: number, powers: Float64Array): void =>
    melBands.forEach(({ from, weights }, band) => {
      const power = weights.reduce((sum, weight, index) => sum + weight * (powers[from + index] ?? 0), 0);
      features[band * frames + frame] = Math.log10(Math.max(power, 1e-10));
    });

  const [one, other] = [new Float64Array(windowLength), new Float64Array(windowLength)];
  for (let frame = 0; frame < frames; frame += 2) {
    const [first, second] = powersOf(windowAt(frame, one), windowAt(frame + 1, other));
    put(frame, first);
    put(frame + 1, second);
  }
  compress(features);
  return features;
};
