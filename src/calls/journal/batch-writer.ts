/**
 * Writes rows of low priority about all calls, such as chart transitions. The rows are collected for a moment and
 * written in one statement; rows that arrive during the statement are collected for the next one. While the database is
 * unavailable, rows wait, bounded by `limit`; further rows are lost.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export type BatchWriterOptions<Item> = {
  /** Name of the rows for the log, such as `transitions of calls`. */
  what: string;
  write: (items: readonly Item[]) => Promise<void>;
  /** Whether this error means that the database is unavailable, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  clock: Clock;
  /** Time for which items are collected for one statement. */
  gatherMs: number;
  /** Maximum weight of one statement, and of all waiting items together. */
  batch: number;
  limit: number;
  /** Returns the weight of an item; 1 by default. */
  weightOf?: (item: Item) => number;
  /** Retry delay after a failure. */
  retryMs: number;
  logger: Logger;
};

export type BatchWriter<Item> = {
  /** Adds an item. Returns false if the item is lost because too many items wait. Never throws. */
  add(item: Item): boolean;
  /** Returns the number of lost items since the start. */
  lost(): number;
  /** Resolves when the items that wait now are written, or when the database is found unavailable. */
  written(): Promise<void>;
  /** Writes the waiting items once. Items that cannot be written are lost. */
  close(): Promise<void>;
};

type Stage =
  | { is: 'idle' | 'closed' }
  | { is: 'gathering'; timer: unknown }
  | { is: 'writing'; done: Promise<void> };

export const createBatchWriter = <Item>(options: BatchWriterOptions<Item>): BatchWriter<Item> => {
  const { what, clock, gatherMs, batch, limit, weightOf = () => 1, retryMs, logger } = options;
  const waiting: Item[] = [];
  let weight = 0;
  let lost = 0;
  let stage: Stage = { is: 'idle' };

  const writeWaiting = async (): Promise<void> => {
    for (let left = waiting.length; left > 0; left -= batch) {
      const some = waiting.slice(0, Math.min(batch, left));
      try {
        await options.write(some);
      } catch (error) {
        if (options.isPassing(error)) throw error;
        lost += some.length;
        logger.error({ err: error, lost: some.length }, `${what} could not be written`);
      }
      for (const item of waiting.splice(0, some.length)) weight -= weightOf(item);
    }
  };

  const writeOrWait = async (): Promise<void> => {
    let pauseMs = gatherMs;
    try {
      await writeWaiting();
    } catch (error) {
      pauseMs = retryMs;
      logger.warn({ err: error, waiting: waiting.length }, `${what} wait for the database`);
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
    add(item) {
      if (weight >= limit) {
        lost += 1;
        return false;
      }
      waiting.push(item);
      weight += weightOf(item);
      gather(gatherMs);
      return true;
    },
    lost: () => lost,
    async written() {
      if (stage.is === 'writing') await stage.done;
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
        while (waiting.length > 0) await writeWaiting();
      } catch (error) {
        logger.error({ err: error, lost: waiting.length }, `${what} are lost`);
      }
    },
  };
};
