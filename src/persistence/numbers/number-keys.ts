/**
 * API keys of numbers. Each number has one key; a new key replaces the old one immediately
 * (guides/design/administration.md, "Number keys").
 */
import { findNumbersByKeys, type CallableNumber } from './callable-numbers.ts';
import type { Database } from '../database/database.ts';
import { inBatches } from '../database/in-batches.ts';
import { recordOf } from '../database/records.ts';
import { NumberKey } from './number-key.ts';
import type { Sealing } from '../database/sealing.ts';
import type { Row } from '../database/tables.ts';

/**
 * Creates the look-up of a number by the fingerprints of its key (`Sealing.fingerprints`); undefined for an unknown or
 * replaced key. Concurrent requests share one query.
 */
export const createNumberSearch = (
  db: Database,
): ((fingerprints: readonly Buffer[]) => Promise<CallableNumber | undefined>) =>
  inBatches(async (keys: readonly (readonly Buffer[])[]) => {
    const numbers = await findNumbersByKeys(db, keys.flat());
    return (fingerprints) =>
      fingerprints
        .map((fingerprint) => numbers.get(fingerprint.toString('hex')))
        .find((number) => number !== undefined);
  });

/** Finds the number of a key; undefined for an unknown or replaced key. Concurrent requests share one query. */
export type AuthenticateNumber = (key: string) => Promise<CallableNumber | undefined>;

export const createNumberAuthentication = (db: Database, sealing: Sealing): AuthenticateNumber => {
  const find = createNumberSearch(db);
  return (key) => find(sealing.fingerprints(key));
};

/** Finds the number of a single key. */
export const authenticateNumber = (
  db: Database,
  sealing: Sealing,
  key: string,
): Promise<CallableNumber | undefined> => createNumberAuthentication(db, sealing)(key);

/**
 * Stored key of a number. `keySealed` is null for a key issued before recovery copies existed, which cannot be
 * revealed.
 */
export type NumberKeyRecord = Pick<Row<'NumberKey'>, 'keySealed' | 'keyTail' | 'issuedAt'>;

type NewKey = Omit<Row<'NumberKey'>, 'keyTail'> & { keySealed: string; keyTail?: string };

/** Issues or replaces a key. The old key is invalid when the promise resolves. */
export const putNumberKey = async (db: Database, key: NewKey): Promise<void> => {
  await db.entityManager().upsert(NumberKey, { keyTail: null, ...key });
};

const keyRecordOf = (key: object): NumberKeyRecord =>
  recordOf<NumberKeyRecord>(key, ['keySealed', 'keyTail', 'issuedAt']);

/** Returns the recovery copy; undefined for a number without a key. */
export const findNumberKey = async (db: Database, numberId: string): Promise<NumberKeyRecord | undefined> => {
  const key = await db.entityManager().findOne(NumberKey, { numberId });
  return key === null ? undefined : keyRecordOf(key);
};

/** Returns the recovery copies by the ids of their numbers. Numbers without a key are absent. */
export const findNumberKeys = async (
  db: Database,
  numberIds: readonly string[],
): Promise<ReadonlyMap<string, NumberKeyRecord>> => {
  const keys = await db.entityManager().find(NumberKey, { numberId: { $in: [...numberIds] } });
  return new Map(keys.map((key) => [key.numberId, keyRecordOf(key)]));
};
