/**
 * API keys of numbers: one for each number; a new key replaces the old one immediately
 * (guides/design/administration.md, "Number keys").
 */
import { findNumbersByKeys, type CallableNumber } from './callable-numbers.ts';
import type { Database } from './database.ts';
import { inBatches } from './in-batches.ts';
import { prepared } from './prepared.ts';
import type { Sealing } from './sealing.ts';
import type { Row } from './tables.ts';

/** Finds the number of a key. Undefined for an unknown or replaced key. Concurrent requests share one query. */
export type AuthenticateNumber = (key: string) => Promise<CallableNumber | undefined>;

export const createNumberAuthentication = (
  db: Database,
  sealing: Pick<Sealing, 'fingerprints'>,
): AuthenticateNumber => {
  const find = inBatches(async (keys: readonly (readonly Buffer[])[]) => {
    const numbers = await findNumbersByKeys(db, keys.flat());
    return (fingerprints) =>
      fingerprints
        .map((fingerprint) => numbers.get(fingerprint.toString('hex')))
        .find((number) => number !== undefined);
  });
  return (key) => find(sealing.fingerprints(key));
};

/** Finds the number of a single key. */
export const authenticateNumber = (
  db: Database,
  sealing: Pick<Sealing, 'fingerprints'>,
  key: string,
): Promise<CallableNumber | undefined> => createNumberAuthentication(db, sealing)(key);

/** `keySealed` is null for a key issued before recovery copies existed: it cannot be revealed. */
export type NumberKeyRecord = Pick<Row<'NumberKey'>, 'keySealed' | 'issuedAt'>;

type NewKey = Row<'NumberKey'> & { keySealed: string };

const putting = prepared((queries, { numberId, keyHash, keySealed, issuedAt }: NewKey) =>
  queries
    .insertInto('NumberKey')
    .values({ numberId, keyHash, keySealed, issuedAt })
    .onConflict((conflict) => conflict.column('numberId').doUpdateSet({ keyHash, keySealed, issuedAt })),
);

const ofNumber = prepared((queries, { numberId }: { numberId: string }) =>
  queries.selectFrom('NumberKey').select(['keySealed', 'issuedAt']).where('numberId', '=', numberId),
);

/** Issues or replaces a key: the old one is invalid when this resolves. */
export const putNumberKey = async (db: Database, key: NewKey): Promise<void> => {
  await putting(db, key);
};

/** Undefined for a number without a key. */
export const findNumberKey = async (db: Database, numberId: string): Promise<NumberKeyRecord | undefined> =>
  (await ofNumber(db, { numberId })).at(0);
