import type { SpokenSentence } from './sentence-segmenter.ts';

/** Sentences that are recognized one after the other, in the order in which they were said. */
export type SentenceQueue = {
  /** `false` where it is full: then nothing waits any more. */
  add(sentence: SpokenSentence): boolean;
  /** Whether a sentence is being recognized. */
  isBusy(): boolean;
  clear(): void;
};

/** No more than `mostSamples` wait. Once a sentence has failed, those behind it wait for the next that is added. */
export const createSentenceQueue = (
  mostSamples: number,
  recognize: (sentence: SpokenSentence) => Promise<void>,
  onFailed: (error: unknown) => void,
): SentenceQueue => {
  const waiting: SpokenSentence[] = [];
  let isBusy = false;

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await recognize(next);
    } catch (error) {
      onFailed(error);
    } finally {
      isBusy = false;
    }
  };

  return {
    add(sentence) {
      waiting.push(sentence);
      if (waiting.reduce((sum, { samples }) => sum + samples.length, 0) > mostSamples) {
        waiting.length = 0;
        return false;
      }
      void work();
      return true;
    },
    isBusy: () => isBusy,
    clear() {
      waiting.length = 0;
    },
  };
};
