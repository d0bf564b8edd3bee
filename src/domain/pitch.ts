/**
 * How periodic a sound at 8000 Hz is: most of speech comes from the throat and has a pitch, and noise has none. The pitch is
 * looked for where the sound is most like itself a little earlier (normalized autocorrelation).
 */

/** From 400 Hz down to 70 Hz. */
const shortestLag = 20;
const longestLag = 114;
/** Samples in which a pitch of 70 Hz fits twice. */
export const pitchWindow = 2 * longestLag;

/** The likeness of these `pitchWindow` samples to themselves a pitch earlier, at the pitch at which they are most alike. */
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
