import type { Logger } from 'pino';
import { unusedSessionSec } from '#src/administration/console-sessions.ts';
import { deleteEndedSessions } from '#src/persistence/workspaces/console-sessions.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { deleteOldCounts } from '#src/persistence/workspaces/request-counts.ts';
import { deleteExpiredAnswers } from '#src/persistence/workspaces/idempotency-records.ts';
import { deleteOldLinks } from '#src/persistence/workspaces/sign-in-links.ts';

const everyMs = 3_600_000;

const clear = (database: Database): Promise<unknown> =>
  Promise.all([
    deleteExpiredAnswers(database),
    deleteOldCounts(database),
    deleteEndedSessions(database, unusedSessionSec),
    deleteOldLinks(database),
  ]);

/** Deletes expired rows every hour. The returned function stops this. */
export const clearOutlivedRows = (database: Database, logger: Logger): (() => void) => {
  const timer = setInterval(() => {
    clear(database).catch((error: unknown) => {
      logger.warn({ err: error }, 'expired rows could not be deleted; retrying in an hour');
    });
  }, everyMs);
  return () => clearInterval(timer);
};
