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
