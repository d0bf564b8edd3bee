/**
 * Number API keys: one for each number; a new one replaces the old at once (guides/design/administration.md, "Number
 * keys").
 */
import { findNumbersByKeys, type CallableNumber } from './callable-numbers.ts';
import type { Database } from './database.ts';
import { inBatches } from './in-batches.ts';
import type { Sealing } from './sealing.ts';

/** The number that a key stands for. Undefined for a key that is unknown or was replaced. Requests that come together share one query. */
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

/** For one key alone. */
export const authenticateNumber = (
  db: Database,
  sealing: Pick<Sealing, 'fingerprints'>,
  key: string,
): Promise<CallableNumber | undefined> => createNumberAuthentication(db, sealing)(key);

export type NumberKeyRecord = {
  /** Null for a key that was issued before recovery copies existed: it cannot be shown again. */
  keySealed: string | null;
  issuedAt: Date;
};

/** Issues or replaces: the old key is invalid from the moment this resolves. */
export const putNumberKey = async (
  db: Database,
  key: { numberId: string; keyHash: Buffer; keySealed: string; issuedAt: Date },
): Promise<void> => {
  await db.execute(
    `insert into number_key (number_id, key_hash, key_sealed, issued_at) values ($1, $2, $3, $4)
     on conflict (number_id) do update
     set key_hash = excluded.key_hash, key_sealed = excluded.key_sealed, issued_at = excluded.issued_at`,
    [key.numberId, key.keyHash, key.keySealed, key.issuedAt],
  );
};

/** Undefined for a number without a key. */
export const findNumberKey = async (db: Database, numberId: string): Promise<NumberKeyRecord | undefined> => {
  const [row] = await db.execute<NumberKeyRecord>(
    'select key_sealed as "keySealed", issued_at as "issuedAt" from number_key where number_id = $1',
    [numberId],
  );
  return row;
};
