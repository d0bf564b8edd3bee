/**
 * Finds the beep of an answering machine: one tone, steady in pitch and level, of the length of a beep. A voice is never
 * that steady, keys of a telephone and most tones of the network are two tones at once, and a fax whistles for longer.
 *
 * A tone is recognized in two steps. A pure tone of the pitch w follows `x[n+1] + x[n-1] = 2 cos(w) x[n]`, which gives
 * its pitch and how far it is from being one in one pass; what comes near is measured by the share of its energy that
 * is at one pitch, around the first estimate, for noise draws that upwards.
 */
import { levelOf } from '../samples.ts';

const sampleRate = 8_000;
const hopLength = 160;
const windowLength = 2 * hopLength;
const hopMs = (1_000 * hopLength) / sampleRate;
const windowMs = 2 * hopMs;
/** What is so far from one tone is not looked at more closely. */
const mostRemainder = 0.3;
const searchHz = 60;
const searchStepHz = 6;

export type BeepNumbers = Readonly<{
  lowestHz: number;
  highestHz: number;
  shortestMs: number;
  longestMs: number;
  /** dB below full scale. */
  floorDb: number;
  /** The share of the energy that is at one pitch. */
  purity: number;
  /** How far pitch and level may stray. */
  strayHz: number;
  strayDb: number;
}>;

export type BeepDetector = {
  /** The next stretch of sound, at 8000 Hz. */
  write(samples: Int16Array): void;
};

/** The share of a window's energy that is at this pitch. */
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

/** A first estimate of the one pitch in a window; `null` when it holds more than that. */
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

/** `onBeep` is called when a beep is over. */
export const createBeepDetector = (numbers: BeepNumbers, onBeep: () => void): BeepDetector => {
  let rest: Int16Array = new Int16Array();
  /** The tone that is on, as it was when it had fully begun. */
  let tone: Tone | null = null;
  let heardMs = 0;

  const isSame = (one: Tone, other: Tone): boolean =>
    Math.abs(one.hertz - other.hertz) <= numbers.strayHz && Math.abs(one.db - other.db) <= numbers.strayDb;

  const take = (found: Tone | null): void => {
    if (tone !== null && found !== null && isSame(tone, found)) {
      heardMs += hopMs;
      return;
    }
    // A tone that glides into another one is no beep.
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
