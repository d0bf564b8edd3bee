/**
 * Uploads complete files to the store, a few at once and in order of arrival. Each upload is retried until the file is
 * stored; a failed file moves to the end of the queue. After failures the store has an increasing cool-down. The files
 * stay on disk, so that a restart finds them.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export type UploadNumbers = {
  atOnce: number;
  /** Backoff after a failure: the initial and the maximum delay. */
  retryFirstMs: number;
  retryLongestMs: number;
};

export type Uploads<File> = {
  add(file: File): void;
  /** Starts no further upload and waits for running ones. Closing the store aborts running uploads. */
  close(): Promise<void>;
};

/** State of the uploads. `resting`: cool-down after a failure of the store. */
type State = { is: 'bringing' } | { is: 'resting'; timer: unknown } | { is: 'closed' };

export const createUploads = <File>(options: {
  /** Uploads a file. Rejects if the file is not stored; the upload is then retried. */
  upload: (file: File) => Promise<void>;
  /** Called when a file is stored. */
  onStored: (file: File) => void;
  /** Called after a failure of the store with the files that wait. */
  onDelayed: (waiting: readonly File[]) => void;
  numbers: UploadNumbers;
  clock: Clock;
  logger: Logger;
}): Uploads<File> => {
  const { numbers, clock, logger } = options;
  const waiting: File[] = [];
  const underWay = new Set<Promise<void>>();
  let state: State = { is: 'bringing' };
  let backoffMs = numbers.retryFirstMs;

  const bring = async (file: File): Promise<void> => {
    try {
      await options.upload(file);
    } catch (error) {
      waiting.push(file);
      if (state.is !== 'closed') takeRest(error);
      return;
    }
    backoffMs = numbers.retryFirstMs;
    options.onStored(file);
  };

  const takeRest = (error: unknown): void => {
    options.onDelayed(waiting);
    if (state.is === 'resting') return;
    logger.warn(
      { err: error, waiting: waiting.length, again_in_ms: backoffMs },
      'recordings wait for their store',
    );
    const timer = clock.setTimeout(() => {
      state = { is: 'bringing' };
      startNext();
    }, backoffMs);
    state = { is: 'resting', timer };
    backoffMs = Math.min(backoffMs * 2, numbers.retryLongestMs);
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
