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
  let rest: unknown = null;
  let restMs = numbers.retryFirstMs;
  let isClosed = false;

  const bring = async (file: File): Promise<void> => {
    try {
      await options.upload(file);
    } catch (error) {
      waiting.push(file);
      if (!isClosed) takeRest(error);
      return;
    }
    restMs = numbers.retryFirstMs;
    options.onStored(file);
  };

  const takeRest = (error: unknown): void => {
    options.onDelayed(waiting);
    if (rest !== null) return;
    logger.warn(
      { err: error, waiting: waiting.length, again_in_ms: restMs },
      'recordings wait for their store',
    );
    rest = clock.setTimeout(() => {
      rest = null;
      startNext();
    }, restMs);
    restMs = Math.min(restMs * 2, numbers.retryLongestMs);
  };

  const startNext = (): void => {
    while (!isClosed && rest === null && underWay.size < numbers.atOnce) {
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
      isClosed = true;
      if (rest !== null) clock.clearTimeout(rest);
      await Promise.all(underWay);
    },
  };
};
