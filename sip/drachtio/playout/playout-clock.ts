/** What was sent of an utterance, and when it sounds: each stretch behind the one before, or at once after a gap. */
import { levelOf, samplesPerMs, silenceDb } from '../../samples.ts';

/** Levels are kept for so much sound together. */
const blockMs = 100;
/** How far back an echo may come from. */
const echoMs = 300;

export type PlayoutClock = {
  add(samples: Int16Array): void;
  /** Silence that belongs to the utterance and is no part of its words. */
  addSilence(milliseconds: number): void;
  /** How much of its words has sounded at a moment, and how much there is so far, in milliseconds. */
  soundedMs(at: number): number;
  totalMs(): number;
  /** When the last of it sounds. */
  endsAt(): number;
  /** How loud it was at most lately, in dB below full scale. */
  levelAt(at: number): number;
};

/** Times are wall-clock milliseconds. */
export const createPlayoutClock = (now: () => number): PlayoutClock => {
  const stretches: { from: number; ms: number; levels: number[] }[] = [];
  let total = 0;
  let end = 0;

  const place = (ms: number): number => {
    const from = Math.max(now(), end);
    end = from + ms;
    return from;
  };

  return {
    add(samples) {
      const ms = samples.length / samplesPerMs;
      const block = blockMs * samplesPerMs;
      const levels = Array.from({ length: Math.ceil(samples.length / block) }, (_, index) =>
        levelOf(samples.subarray(index * block, (index + 1) * block)),
      );
      stretches.push({ from: place(ms), ms, levels });
      total += ms;
    },
    addSilence: (milliseconds) => void place(milliseconds),
    soundedMs: (at) => stretches.reduce((sum, { from, ms }) => sum + Math.min(ms, Math.max(0, at - from)), 0),
    totalMs: () => total,
    endsAt: () => end,
    levelAt(at) {
      let loudest = silenceDb;
      for (const { from, levels } of stretches) {
        const first = Math.max(0, Math.floor((at - echoMs - from) / blockMs));
        for (const level of levels.slice(first, Math.max(0, Math.ceil((at - from) / blockMs))))
          loudest = Math.max(loudest, level);
      }
      return loudest;
    },
  };
};
