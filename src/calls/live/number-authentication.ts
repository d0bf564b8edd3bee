/** The number of a key (guides/design/administration.md, "Number keys"), also while the database does not answer. */
import type { CallableNumber } from '#src/persistence/callable-numbers.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import type { Database } from '#src/persistence/database.ts';
import { createNumberAuthentication as createAuthentication } from '#src/persistence/number-keys.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import type { KnownKeys } from './known-keys.ts';

export type { CallableNumber } from '#src/persistence/callable-numbers.ts';

/**
 * Undefined for a key of nobody. What `needsNoDatabase` may be asked with a key that was good for a call held here when
 * the database was last asked; anything else rejects while that does not answer.
 */
export type AuthenticateNumber = (
  key: string,
  needs: { needsNoDatabase: boolean },
) => Promise<CallableNumber | undefined>;

export const createNumberAuthentication = (options: {
  database: Database;
  sealing: Pick<Sealing, 'fingerprints'>;
  knownKeys: Pick<KnownKeys, 'find'>;
}): AuthenticateNumber => {
  const { database, sealing, knownKeys } = options;
  const authenticate = createAuthentication(database, sealing);
  return async (key, { needsNoDatabase }) => {
    try {
      return await authenticate(key);
    } catch (error) {
      if (!needsNoDatabase || !isTransient(error)) throw error;
      const known = knownKeys.find(sealing.fingerprints(key));
      // A key that is not known here may be good all the same: nobody can tell.
      if (known === undefined) throw error;
      return known;
    }
  };
};
