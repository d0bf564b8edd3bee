import type { Logger } from 'pino';
import type { Database } from '#src/persistence/database.ts';
import { deleteOldCounts } from '#src/persistence/request-counts.ts';
import { deleteExpiredAnswers } from '#src/persistence/keyed-answers.ts';

const everyMs = 3_600_000;

/** Clears away hourly what has outlived its use. The returned function ends it. */
export const clearOutlivedRows = (database: Database, logger: Logger): (() => void) => {
  const timer = setInterval(() => {
    Promise.all([deleteExpiredAnswers(database), deleteOldCounts(database)]).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'what nobody asks for any more could not be cleared away; it is tried again in an hour',
      );
    });
  }, everyMs);
  return () => clearInterval(timer);
};
