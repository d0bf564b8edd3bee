import type { Logger } from 'pino';
import type { Database } from '#src/persistence/database.ts';
import { deleteExpiredAnswers } from '#src/persistence/keyed-answers.ts';

const everyMs = 3_600_000;

/** Clears away hourly what has outlived its use. The returned function ends it. */
export const purgeIdempotencyKeys = (database: Database, logger: Logger): (() => void) => {
  const timer = setInterval(() => {
    deleteExpiredAnswers(database).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'old idempotency keys could not be cleared away; they are tried again in an hour',
      );
    });
  }, everyMs);
  return () => clearInterval(timer);
};
