/**
 * Detects the beep of an answering machine: one tone with steady pitch and level and a typical length. Voices are less
 * steady, DTMF digits and most network tones consist of two tones, and fax tones last longer.
 *
 * Detection has two steps. A pure tone of pitch w satisfies `x[n+1] + x[n-1] = 2 cos(w) x[n]`, which yields the pitch
 * and the deviation in one pass. In the second step, candidates are measured by the share of their energy around that
 * pitch, because noise raises the first estimate.
 */
import { levelOf } from '../samples.ts';

const sampleRate = 8_000;
const hopLength = 160;
const windowLength = 2 * hopLength;
const hopMs = (1_000 * hopLength) / sampleRate;
const windowMs = 2 * hopMs;
/** Maximum deviation of a window from a pure tone; other windows are skipped. */
const mostRemainder = 0.3;
const searchHz = 60;
const searchStepHz = 6;

export type BeepNumbers = Readonly<{
  lowestHz: number;
  highestHz: number;
  shortestMs: number;
  longestMs: number;
  /** Minimum level in dB below full scale. */
  floorDb: number;
  /** Minimum share of a window's energy at one pitch. */
  purity: number;
  /** Allowed deviations of pitch and level within one beep. */
  strayHz: number;
  strayDb: number;
}>;

export type BeepDetector = {
  /** Processes the next samples, at 8000 Hz. */
  write(samples: Int16Array): void;
};

/** Returns the share of a window's energy at this pitch. */
const shareAt = (window: Int16Array, energy: number, hertz: number): number => {
  const angle = (2 * Math.PI * hertz) / sampleRate;
  const twice = 2 * Math.cos(angle);
  let [last, beforeLast] = [0, 0];
  for (const sample of window) {
    const next = sample + twice * last - beforeLast;
    beforeLast = last;
    last = next;
  }
  const power = last ** 2 + beforeLast ** 2 - twice * last * beforeLast;
  return (2 * power) / (window.length * energy);
};

/** Returns a first estimate of the single pitch in a window; `null` for several pitches. */
const estimate = (window: Int16Array): number | null => {
  let [both, own, neighbours] = [0, 0, 0];
  for (let at = 1; at < window.length - 1; at += 1) {
    const sample = window[at] ?? 0;
    const sum = (window[at - 1] ?? 0) + (window[at + 1] ?? 0);
    both += sample * sum;
    own += sample ** 2;
    neighbours += sum ** 2;
  }
  if (own === 0) return null;
  const remainder = neighbours - both ** 2 / own;
  const cosine = both / own / 2;
  if (Math.abs(cosine) >= 1 || remainder > mostRemainder * own) return null;
  return (Math.acos(cosine) * sampleRate) / (2 * Math.PI);
};

type Tone = { hertz: number; db: number };

const toneIn = (window: Int16Array, numbers: BeepNumbers): Tone | null => {
  const db = levelOf(window);
  if (db < numbers.floorDb) return null;
  const near = estimate(window);
  if (near === null || near < numbers.lowestHz - searchHz || near > numbers.highestHz + searchHz) return null;
  const energy = window.reduce((sum, sample) => sum + sample ** 2, 0);
  let best = { hertz: 0, share: 0 };
  for (let hertz = near - searchHz; hertz <= near + searchHz; hertz += searchStepHz) {
    const share = shareAt(window, energy, hertz);
    if (share > best.share) best = { hertz, share };
  }
  const isOne =
    best.share >= numbers.purity && best.hertz >= numbers.lowestHz && best.hertz <= numbers.highestHz;
  return isOne ? { hertz: best.hertz, db } : null;
};

/** Creates a detector. `onBeep` is called when a beep has ended. */
export const createBeepDetector = (numbers: BeepNumbers, onBeep: () => void): BeepDetector => {
  let rest: Int16Array = new Int16Array();
  /** The current tone, measured at its full level. */
  let tone: Tone | null = null;
  let heardMs = 0;

  const isSame = (one: Tone, other: Tone): boolean =>
    Math.abs(one.hertz - other.hertz) <= numbers.strayHz && Math.abs(one.db - other.db) <= numbers.strayDb;

  const take = (found: Tone | null): void => {
    if (tone !== null && found !== null && isSame(tone, found)) {
      heardMs += hopMs;
      return;
    }
    // A tone that ends is a beep if it had a typical length. A tone that glides is not a beep.
    if (found === null && heardMs >= numbers.shortestMs && heardMs <= numbers.longestMs) onBeep();
    tone = found;
    heardMs = found === null ? 0 : windowMs;
  };

  return {
    write(samples) {
      rest = rest.length === 0 ? samples : Int16Array.of(...rest, ...samples);
      let from = 0;
      for (; from + windowLength <= rest.length; from += hopLength)
        take(toneIn(rest.subarray(from, from + windowLength), numbers));
      rest = rest.slice(from);
    },
  };
};
