/** Tracks the loudness of the agent's voice over time, with which the voice's echo is compared. */
import { levelOf, samplesPerMs, silenceDb, type SampleRate } from '../samples.ts';

/** Duration of one level value. */
const blockMs = 100;
/** Longest delay of an echo. */
const echoMs = 300;

export type Loudness = {
  /** Records samples that are heard from this time on. */
  add(samples: Int16Array, from: number): void;
  /** Discards audio that was to be heard after this time. */
  cut(at: number): void;
  /** Returns the highest recent level, in dB below full scale. */
  levelAt(at: number): number;
};

/** Creates the tracker. Times are wall-clock milliseconds. */
export const createLoudness = (rate: SampleRate): Loudness => {
  const block = blockMs * samplesPerMs(rate);
  const stretches: { from: number; levels: number[] }[] = [];
  return {
    add(samples, from) {
      const levels = Array.from({ length: Math.ceil(samples.length / block) }, (_, index) =>
        levelOf(samples.subarray(index * block, (index + 1) * block)),
      );
      stretches.push({ from, levels });
    },
    cut(at) {
      for (const stretch of stretches)
        stretch.levels.length = Math.min(
          stretch.levels.length,
          Math.max(0, Math.ceil((at - stretch.from) / blockMs)),
        );
    },
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
