/**
 * Transitions of all calls on their way to the database: gathered for a moment and written in one statement. While the
 * database is away they wait, bounded by `limit`; what is more is lost.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { StoredTransition } from '#src/persistence/call-transitions.ts';

export type TransitionWriterOptions = {
  write: (transitions: readonly StoredTransition[]) => Promise<void>;
  /** Whether this error means that the database is away, so that the same may succeed later. */
  isPassing: (error: unknown) => boolean;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /** How long transitions are gathered for one statement. */
  gatherMs: number;
  /** Of one statement, and of all that may wait. */
  batch: number;
  limit: number;
  /** After a failure. */
  retryMs: number;
  logger: Logger;
};

export type TransitionWriter = {
  /** False when too many wait: this one is lost. Never throws. */
  add(transition: StoredTransition): boolean;
  /** Resolves when all that waits is written; while the database is away, when that was found out. */
  written(): Promise<void>;
  /** Writes what waits, once; what cannot be written is lost. */
  close(): Promise<void>;
};

type Stage =
  { is: 'idle' | 'closed' } | { is: 'gathering'; timer: unknown } | { is: 'writing'; done: Promise<void> };

export const createTransitionWriter = (options: TransitionWriterOptions): TransitionWriter => {
  const { clock, gatherMs, batch, limit, retryMs, logger } = options;
  const waiting: StoredTransition[] = [];
  let stage: Stage = { is: 'idle' };

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const some = waiting.slice(0, batch);
      try {
        await options.write(some);
      } catch (error) {
        if (options.isPassing(error)) throw error;
        logger.error({ err: error, transitions: some.length }, 'transitions of calls could not be written');
      }
      waiting.splice(0, some.length);
    }
  };

  const writeOrWait = async (): Promise<void> => {
    let pauseMs = gatherMs;
    try {
      await writeWaiting();
    } catch (error) {
      pauseMs = retryMs;
      logger.warn({ err: error, transitions: waiting.length }, 'transitions of calls wait for the database');
    }
    if (stage.is === 'closed') return;
    stage = { is: 'idle' };
    if (waiting.length > 0) gather(pauseMs);
  };

  const write = (): void => {
    stage = { is: 'writing', done: writeOrWait() };
  };

  const gather = (milliseconds: number): void => {
    if (stage.is === 'idle') stage = { is: 'gathering', timer: clock.setTimeout(write, milliseconds) };
  };

  return {
    add(transition) {
      if (waiting.length >= limit) return false;
      waiting.push(transition);
      gather(gatherMs);
      return true;
    },
    async written() {
      if (stage.is === 'gathering') {
        clock.clearTimeout(stage.timer);
        write();
      }
      if (stage.is === 'writing') await stage.done;
    },
    async close() {
      const last = stage;
      stage = { is: 'closed' };
      if (last.is === 'gathering') clock.clearTimeout(last.timer);
      if (last.is === 'writing') await last.done;
      try {
        await writeWaiting();
      } catch (error) {
        logger.error({ err: error, transitions: waiting.length }, 'transitions of calls are lost');
      }
    },
  };
};
