/**
 * Requests with an `Idempotency-Key`: a repeated request gets the first response (guides/design/wire.md, "Repeated
 * requests"). The statement that inserts the call (`create-calls.ts`) also stores the response, so after a crash either
 * both exist or neither.
 */
import type { ExpressionBuilder } from 'kysely';
import { secondsAgo } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row, Tables } from '../database/tables.ts';

/** A request that its sender may repeat. */
export type KeyedRequest = Pick<Row<'IdempotencyRecord'>, 'key' | 'fingerprint'>;

/** A request with its response. */
export type KeyedAnswer = KeyedRequest & Pick<Row<'IdempotencyRecord'>, 'responseStatus' | 'responseBody'>;

/** Time for which a key is stored (guides/design/wire.md, "Repeated requests"). */
const rememberedHours = 24;

const isTooOld = ({ eb, lit }: ExpressionBuilder<Tables, 'IdempotencyRecord'>) =>
  eb('IdempotencyRecord.createdAt', '<', secondsAgo(lit(rememberedHours * 3_600)));

/** A key with its number, because different numbers may use the same key. */
type OwnKey = { numberId: string; key: string };

const answerTo = kyselyQuery((queries, { numberId, key }: OwnKey) =>
  queries
    .selectFrom('IdempotencyRecord')
    .select(['key', 'fingerprint', 'responseStatus', 'responseBody'])
    .select((record) => isTooOld(record).as('isTooOld'))
    .where('numberId', '=', numberId)
    .where('key', '=', key),
);

const forgetting = kyselyQuery((queries, { numberId, key }: OwnKey) =>
  queries
    .deleteFrom('IdempotencyRecord')
    .where('numberId', '=', numberId)
    .where('key', '=', key)
    .where(isTooOld),
);

/** Returns the stored response to the number's request with this key. An expired key can be used again. */
export const findKeyedAnswer = async (db: Statements, own: OwnKey): Promise<KeyedAnswer | undefined> => {
  const [row] = await answerTo(db, own);
  if (row === undefined) return undefined;
  const { isTooOld: isForgotten, ...answer } = row;
  if (!isForgotten) return answer;
  await forgetting(db, own);
  return undefined;
};

const forgettingAll = kyselyQuery((queries) => queries.deleteFrom('IdempotencyRecord').where(isTooOld));

/** Deletes expired keys. */
export const deleteExpiredAnswers = async (db: Statements): Promise<void> => {
  await forgettingAll(db, {});
};
