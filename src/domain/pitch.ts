/**
 * Periodicity of audio at 8000 Hz: most of speech is periodic, while noise is not. The pitch is the lag with the
 * highest normalized autocorrelation.
 */

/** Lags in samples, from a pitch of 400 Hz down to 70 Hz. */
const shortestLag = 20;
const longestLag = 114;
/** Number of samples that contain two periods of 70 Hz. */
export const pitchWindow = 2 * longestLag;

/** Returns the highest normalized autocorrelation of `pitchWindow` samples over all pitches. */
export const pitchLikeness = (window: Int16Array): number => {
  let best = 0;
  for (let lag = shortestLag; lag <= longestLag; lag += 1) {
    let [both, now, earlier] = [0, 1, 1];
    for (let at = lag; at < window.length; at += 1) {
      const sample = window[at] ?? 0;
      const before = window[at - lag] ?? 0;
      both += sample * before;
      now += sample * sample;
      earlier += before * before;
    }
    best = Math.max(best, both / Math.sqrt(now * earlier));
  }
  return best;
};
