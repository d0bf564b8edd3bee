/**
 * Tells other gateways that there is something to read in the database, and carries nothing itself: what is true stands
 * there alone, so that no wake-up that is lost, late or doubled does any harm.
 */
import type { Database } from '#src/persistence/database.ts';
import { notify } from '#src/persistence/notifications.ts';

export type WakeUps = {
  /**
   * Calls `onWake` for each wake-up of this channel, and once after a lost connection came back, since some may have
   * been missed. The returned function ends it.
   */
  listen(channel: string, onWake: () => void): Promise<() => Promise<void>>;
  /** Wakes every gateway that listens. Rejects where nobody can be told. */
  wake(channel: string): Promise<void>;
};

/** By NOTIFY of PostgreSQL. */
export const databaseWakeUps = (database: Database): WakeUps => ({
  listen: database.listen,
  wake: (channel) => notify(database, channel),
});
