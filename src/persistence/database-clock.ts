/**
 * The clock of the database, by which everything that gateways share falls due: they may disagree about the time, and
 * the clock of each may be set, but there is one database. It is read now and then and goes on evenly in between.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';

export type DatabaseClock = { clock: Clock; close: () => void };

const everyMs = 30_000;
/** An answer that took longer says too little of what time it is. */
const promptMs = 1_000;

/** Not `now()`, which stands still while a transaction waits. */
const reading = prepared((queries) =>
  queries.selectNoFrom(({ fn }) => fn<Date>('clock_timestamp').as('now')),
);

/** Its timers are those of `steady`, a clock that nobody sets. Rejects when the database does not answer. */
export const openDatabaseClock = async (
  db: Statements,
  { steady, logger }: { steady: Clock; logger: Logger },
): Promise<DatabaseClock> => {
  const read = async (): Promise<{ ahead: number; tookMs: number }> => {
    const asked = steady.now();
    const [row] = await reading(db, {});
    if (row === undefined) throw new Error('The database does not say what time it is');
    // As of the question: what falls due is then never late, though early by as long as the answer took.
    return { ahead: row.now.getTime() - asked, tookMs: steady.now() - asked };
  };
  let last = await read();
  const readAgain = async (): Promise<void> => {
    try {
      const fresh = await read();
      if (fresh.tookMs <= Math.max(promptMs, last.tookMs)) last = fresh;
    } catch (error) {
      logger.debug({ err: error }, 'the clock of the database could not be read');
    }
  };
  const timer = setInterval(() => void readAgain(), everyMs);
  timer.unref();
  return {
    clock: { ...steady, now: () => steady.now() + last.ahead },
    close: () => clearInterval(timer),
  };
};
