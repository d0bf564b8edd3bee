import type { SpokenSentence } from './sentence-segmenter.ts';

/** Queue of sentences that are recognized one after the other. */
export type SentenceQueue = {
  /** Returns `false` if the queue is full; the sentence is dropped. */
  add(sentence: SpokenSentence): boolean;
  /** Whether a recognition is in progress. */
  isBusy(): boolean;
  clear(): void;
};

/** At most `mostSamples` wait. After a failure the queue pauses until the next sentence is added. */
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
