/**
 * Files that are in the store and still here. A copy goes when the database no longer says that the recording is
 * pending: until then a restart needs it, to say that the recording is complete.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { RecordingStatus } from '#src/persistence/recordings.ts';

type Copy = { callId: string; file: string };

const firstMs = 100;
const longestMs = 30_000;

export type LocalCopies = {
  release(copy: Copy): void;
  close(): Promise<void>;
};

export type LocalCopiesOptions = {
  statusesOf: (callIds: readonly string[]) => Promise<ReadonlyMap<string, RecordingStatus>>;
  remove: (file: string) => Promise<void>;
  clock: Clock;
  logger: Logger;
};

export const createLocalCopies = (options: LocalCopiesOptions): LocalCopies => {
  const { clock, logger } = options;
  const copies = new Map<string, Copy>();
  let timer: unknown = null;
  let tidying: Promise<void> | null = null;
  let waitMs = firstMs;
  let isClosed = false;

  const removeFiled = async (): Promise<void> => {
    const statuses = await options.statusesOf([...copies.keys()]);
    for (const { callId, file } of copies.values()) {
      if (statuses.get(callId) === 'pending') continue;
      await options.remove(file);
      copies.delete(callId);
    }
  };

  const tidy = async (): Promise<void> => {
    try {
      await removeFiled();
    } catch (error) {
      logger.warn({ err: error, copies: copies.size }, 'local copies of recordings could not be removed yet');
    }
    tidying = null;
    schedule();
  };

  const schedule = (): void => {
    if (isClosed || copies.size === 0 || timer !== null || tidying !== null) return;
    timer = clock.setTimeout(() => {
      timer = null;
      tidying = tidy();
    }, waitMs);
    waitMs = Math.min(waitMs * 2, longestMs);
  };

  return {
    release(copy) {
      copies.set(copy.callId, copy);
      waitMs = firstMs;
      schedule();
    },
    async close() {
      isClosed = true;
      clock.clearTimeout(timer);
      await tidying;
    },
  };
};
