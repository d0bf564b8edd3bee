/** Mono 16-bit linear sound at the 8000 Hz of a telephone line: its length and its level. */

/** Sound on its way to FreeSWITCH: mono 16-bit linear at 8000 Hz. */
export const samplesPerMs = 8;

export const silence = (milliseconds: number): Int16Array => new Int16Array(milliseconds * samplesPerMs);

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
