/**
 * Complete files on their way into the store: a few at once, in order, each tried until it is there. A store that is
 * away is left alone for a while, the longer the more often it fails; the files wait where they are, so that a restart
 * finds them.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export type UploadNumbers = {
  atOnce: number;
  /** Waiting after a failure: at first, and at most. */
  retryFirstMs: number;
  retryLongestMs: number;
};

export type Uploads<File> = {
  add(file: File): void;
  /** Begins no more and waits for those under way; what ends them early is the store's to close. */
  close(): Promise<void>;
};

/** `resting`: the store has failed and is left alone for a while. */
type State = { is: 'bringing' } | { is: 'resting'; timer: unknown } | { is: 'closed' };

export const createUploads = <File>(options: {
  /** Rejects when the file is not in the store; it is then tried again. */
  upload: (file: File) => Promise<void>;
  /** A file is in the store. */
  onStored: (file: File) => void;
  /** The store failed; these files wait. */
  onDelayed: (waiting: readonly File[]) => void;
  numbers: UploadNumbers;
  clock: Clock;
  logger: Logger;
}): Uploads<File> => {
  const { numbers, clock, logger } = options;
  const waiting: File[] = [];
  const underWay = new Set<Promise<void>>();
  let state: State = { is: 'bringing' };
  let restMs = numbers.retryFirstMs;

  const bring = async (file: File): Promise<void> => {
    try {
      await options.upload(file);
    } catch (error) {
      waiting.push(file);
      if (state.is !== 'closed') takeRest(error);
      return;
    }
    restMs = numbers.retryFirstMs;
    options.onStored(file);
  };

  const takeRest = (error: unknown): void => {
    options.onDelayed(waiting);
    if (state.is === 'resting') return;
    logger.warn(
      { err: error, waiting: waiting.length, again_in_ms: restMs },
      'recordings wait for their store',
    );
    const timer = clock.setTimeout(() => {
      state = { is: 'bringing' };
      startNext();
    }, restMs);
    state = { is: 'resting', timer };
    restMs = Math.min(restMs * 2, numbers.retryLongestMs);
  };

  const startNext = (): void => {
    while (state.is === 'bringing' && underWay.size < numbers.atOnce) {
      const file = waiting.shift();
      if (file === undefined) return;
      const upload = bring(file).finally(() => {
        underWay.delete(upload);
        startNext();
      });
      underWay.add(upload);
    }
  };

  return {
    add(file) {
      waiting.push(file);
      startNext();
    },
    async close() {
      if (state.is === 'resting') clock.clearTimeout(state.timer);
      state = { is: 'closed' };
      await Promise.all(underWay);
    },
  };
};
