/** Audio of a turn as the model expects it: the last eight seconds at 16000 Hz, padded with silence in front. */
import { modelRate } from './log-mel.ts';

export const longestMs = 8_000;
const length = (longestMs * modelRate) / 1_000;

/** Number of samples on each side that interpolation uses. */
const reach = 16;

/** Weights of the interpolation: a windowed sinc (Hann). */
const weights = Float64Array.from({ length: reach }, (_, index) => {
  const away = index + 0.5;
  return (Math.sin(Math.PI * away) / (Math.PI * away)) * (0.5 + 0.5 * Math.cos((Math.PI * away) / reach));
});

/** Doubles the sample rate by band-limited interpolation. */
const doubled = (samples: Int16Array): Float64Array => {
  const result = new Float64Array(2 * samples.length);
  samples.forEach((sample, index) => {
    let between = 0;
    for (let away = 0; away < reach; away += 1)
      between += (weights[away] ?? 0) * ((samples[index - away] ?? 0) + (samples[index + 1 + away] ?? 0));
    result[2 * index] = sample;
    result[2 * index + 1] = between;
  });
  return result;
};

/** Returns samples from -1 to 1. `sampleRate` is the model's rate or half of it. */
export const modelAudio = (samples: Int16Array, sampleRate: number): Float64Array => {
  const last = samples.subarray(-(length * sampleRate) / modelRate);
  const sound = sampleRate === modelRate ? Float64Array.from(last) : doubled(last);
  const result = new Float64Array(length);
  sound.forEach((sample, index) => (result[length - sound.length + index] = sample / 32_768));
  return result;
};
