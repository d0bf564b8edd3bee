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
  /** Levels are calculated when they are asked for: most audio of the agent is heard while nobody listens for an echo. */
  const stretches: { from: number; samples: Int16Array; blocks: number; levels: (number | undefined)[] }[] =
    [];

  return {
    add(samples, from) {
      stretches.push({ from, samples, blocks: Math.ceil(samples.length / block), levels: [] });
    },
    cut(at) {
      for (const stretch of stretches)
        stretch.blocks = Math.min(stretch.blocks, Math.max(0, Math.ceil((at - stretch.from) / blockMs)));
    },
    levelAt(at) {
      let loudest = silenceDb;
      for (const { from, samples, blocks, levels } of stretches) {
        const first = Math.max(0, Math.floor((at - echoMs - from) / blockMs));
        const end = Math.min(blocks, Math.ceil((at - from) / blockMs));
        for (let index = first; index < end; index += 1) {
          levels[index] ??= levelOf(samples.subarray(index * block, (index + 1) * block));
          loudest = Math.max(loudest, levels[index] ?? silenceDb);
        }
      }
      return loudest;
    },
  };
};
