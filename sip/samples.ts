/** Mono 16-bit linear sound: its rate, its length and its level. */

/** Samples a second of a call's sound: of a telephone's codecs, or of those that carry more (G.722, Opus). */
export type SampleRate = 8_000 | 16_000;

/** The rate of a telephone. */
export const telephoneRate = 8_000 satisfies SampleRate;
/** The rate of a codec that is made for more than a telephone. */
export const wideRate = 16_000 satisfies SampleRate;

export const samplesPerMs = (rate: SampleRate): number => rate / 1_000;

export const silence = (milliseconds: number, rate: SampleRate): Int16Array =>
  new Int16Array(milliseconds * samplesPerMs(rate));

const fullScale = 32_768;

/** The quietest level that is told from silence. */
export const silenceDb = -96;

/** The level of a sound in dB below full scale (RMS); `silenceDb` when there is none. */
export const levelOf = (samples: Int16Array): number => {
  if (samples.length === 0) return silenceDb;
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.max(silenceDb, 10 * Math.log10(sum / samples.length / fullScale ** 2 + Number.EPSILON));
};
