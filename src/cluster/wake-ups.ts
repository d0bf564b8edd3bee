/**
 * Wakes other gateways when there are new rows in the database. Wake-ups carry no data: the database has the truth, so
 * lost, late or repeated wake-ups are harmless.
 */
import type { Database } from '#src/persistence/database/database.ts';
import { notify } from '#src/persistence/database/notifications.ts';

export type WakeUps = {
  /**
   * Calls `onWake` for each wake-up of this channel. Also calls it once after a reconnect, since wake-ups may have been
   * missed. The returned function unsubscribes.
   */
  listen(channel: string, onWake: () => void): Promise<() => Promise<void>>;
  /** Wakes every gateway that listens. Rejects if no notification can be sent. */
  wake(channel: string): Promise<void>;
};

/** Wake-ups by PostgreSQL's NOTIFY. */
export const databaseWakeUps = (database: Database): WakeUps => ({
  listen: database.listen,
  wake: (channel) => notify(database, channel),
});
