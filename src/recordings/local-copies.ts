/**
 * Local files that are already in the store. A copy is removed when its recording is no longer pending in the database,
 * because until then a restart needs the copy to complete the recording.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { RecordingStatus } from '#src/persistence/calls/recordings.ts';

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

type State =
  | { is: 'resting' }
  | { is: 'waiting'; timer: unknown }
  | { is: 'tidying'; done: Promise<void> }
  | { is: 'closed' };

export const createLocalCopies = (options: LocalCopiesOptions): LocalCopies => {
  const { clock, logger } = options;
  const copies = new Map<string, Copy>();
  let state: State = { is: 'resting' };
  let waitMs = firstMs;

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
      logger.warn(
        { err: error, copies: copies.size },
        'removing local copies of recordings failed; a retry follows',
      );
    }
    if (state.is === 'closed') return;
    state = { is: 'resting' };
    tidySoon();
  };

  const tidySoon = (): void => {
    if (state.is !== 'resting' || copies.size === 0) return;
    const timer = clock.setTimeout(() => {
      state = { is: 'tidying', done: tidy() };
    }, waitMs);
    state = { is: 'waiting', timer };
    waitMs = Math.min(waitMs * 2, longestMs);
  };

  return {
    release(copy) {
      copies.set(copy.callId, copy);
      waitMs = firstMs;
      tidySoon();
    },
    async close() {
      const before = state;
      state = { is: 'closed' };
      if (before.is === 'waiting') clock.clearTimeout(before.timer);
      if (before.is === 'tidying') await before.done;
    },
  };
};
