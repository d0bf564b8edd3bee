/**
 * Clock of the database, which all due times shared by gateways use. The wall clocks of gateways may differ or be set,
 * whereas there is only one clock of the database. The clock is read periodically and advances monotonically in
 * between.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { kyselyQuery } from './kysely-query.ts';
import type { Statements } from './statements.ts';

export type DatabaseClock = { clock: Clock; close: () => void };

const everyMs = 30_000;
/** Maximum duration of the query. The result of a slower query is too imprecise for a clock reading. */
const promptMs = 1_000;

/** `clock_timestamp()` is read, because `now()` would return the transaction's start time. */
const reading = kyselyQuery((queries) =>
  queries.selectNoFrom(({ fn }) => fn<Date>('clock_timestamp').as('now')),
);

/** Opens the clock. Timers use `steady`, a monotonic clock. Rejects if the database does not answer. */
export const openDatabaseClock = async (
  db: Statements,
  { steady, logger }: { steady: Clock; logger: Logger },
): Promise<DatabaseClock> => {
  const read = async (): Promise<{ ahead: number; tookMs: number }> => {
    const asked = steady.now();
    const [row] = await reading(db, {});
    if (row === undefined) throw new Error('The database does not say what time it is');
    // The time is assumed to be that of the query's start. Due times are then never late, and early by at most the
    // query's duration.
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
