/** Mono 16-bit linear audio: sample rates, durations and levels. */

/** Sample rate of a call: narrowband, or wideband (G.722, Opus). */
export type SampleRate = 8_000 | 16_000;

/** Narrowband rate. */
export const telephoneRate = 8_000 satisfies SampleRate;
/** Wideband rate. */
export const wideRate = 16_000 satisfies SampleRate;

export const samplesPerMs = (rate: SampleRate): number => rate / 1_000;

export const silence = (milliseconds: number, rate: SampleRate): Int16Array =>
  new Int16Array(milliseconds * samplesPerMs(rate));

const fullScale = 32_768;

/** Level of the smallest non-zero sample. */
export const silenceDb = -96;

/** Level below every voice threshold (`floorDb` of config/listening-policy.ts). */
export const quietDb = -50;

/** Returns the level in dB below full scale (RMS); `silenceDb` for silence. */
export const levelOf = (samples: Int16Array): number => {
  if (samples.length === 0) return silenceDb;
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.max(silenceDb, 10 * Math.log10(sum / samples.length / fullScale ** 2 + Number.EPSILON));
};
