/** Finds the number of a key (guides/design/administration.md, "Number keys"), also while the database is down. */
import type { Clock } from '#src/domain/clock.ts';
import { TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';
import type { CallableNumber } from '#src/persistence/numbers/callable-numbers.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { createNumberSearch } from '#src/persistence/numbers/number-keys.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import type { KnownKeys } from './known-keys.ts';

export type { CallableNumber } from '#src/persistence/numbers/callable-numbers.ts';

/**
 * Resolves to the number of a key; undefined for an unknown key. With `needsNoDatabase`, a key that was valid at the
 * last query for a call on this gateway is accepted while the database is unavailable. Other requests reject then.
 */
export type AuthenticateNumber = (
  key: string,
  needs: { needsNoDatabase: boolean },
) => Promise<CallableNumber | undefined>;

export const createNumberAuthentication = (options: {
  database: Database;
  sealing: Sealing;
  knownKeys: Pick<KnownKeys, 'find' | 'note'>;
  /** Time limit of the database query if a cached key would be accepted, in milliseconds. */
  patienceMs: number;
  clock: Clock;
}): AuthenticateNumber => {
  const { database, sealing, knownKeys, patienceMs, clock } = options;
  const find = createNumberSearch(database);

  const authenticate = async (fingerprints: readonly Buffer[]): Promise<CallableNumber | undefined> => {
    const number = await find(fingerprints);
    if (number !== undefined) knownKeys.note(fingerprints, number);
    return number;
  };

  return async (key, { needsNoDatabase }) => {
    const fingerprints = sealing.fingerprints(key);
    const known = needsNoDatabase ? knownKeys.find(fingerprints) : undefined;
    // A key that is not cached may still be valid, so the query has no further time limit.
    if (known === undefined) return authenticate(fingerprints);
    try {
      return await withTimeout(clock, patienceMs, () => authenticate(fingerprints));
    } catch (error) {
      if (error instanceof TimeoutError || isTransient(error)) return known;
      throw error;
    }
  };
};
