/**
 * Requests with an `Idempotency-Key`: a repeated request gets the first answer (guides/design/wire.md, "Repeated
 * requests"). The statement that inserts the call (`calls.ts`) also stores the answer, so a crash leaves either both or
 * neither.
 */
import type { ExpressionBuilder, QueryCreator } from 'kysely';
import { now, secondsAgo } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import { rowsOf, type Row, type Tables } from './tables.ts';

/** A request that its sender may repeat. */
export type KeyedRequest = Pick<Row<'IdempotencyRecord'>, 'key' | 'fingerprint'>;

/** A request with its answer. */
export type KeyedAnswer = KeyedRequest & Pick<Row<'IdempotencyRecord'>, 'responseStatus' | 'responseBody'>;

/** Time for which a key is stored (guides/design/wire.md, "Repeated requests"). */
const rememberedHours = 24;

const isTooOld = ({ eb, lit }: ExpressionBuilder<Tables, 'IdempotencyRecord'>) =>
  eb('IdempotencyRecord.createdAt', '<', secondsAgo(lit(rememberedHours * 3_600)));

const keptColumns = ['numberId', 'key', 'fingerprint', 'callId', 'responseStatus', 'responseBody'] as const;

/** Keys are scoped to a number. */
type OwnKey = { numberId: string; key: string };

const answerTo = prepared((queries, { numberId, key }: OwnKey) =>
  queries
    .selectFrom('IdempotencyRecord')
    .select(['key', 'fingerprint', 'responseStatus', 'responseBody'])
    .select((record) => isTooOld(record).as('isTooOld'))
    .where('numberId', '=', numberId)
    .where('key', '=', key),
);

const forgetting = prepared((queries, { numberId, key }: OwnKey) =>
  queries
    .deleteFrom('IdempotencyRecord')
    .where('numberId', '=', numberId)
    .where('key', '=', key)
    .where(isTooOld),
);

/** Returns the answer to the number's request with this key. Expired keys are free again. */
export const findKeyedAnswer = async (db: Statements, own: OwnKey): Promise<KeyedAnswer | undefined> => {
  const [row] = await answerTo(db, own);
  if (row === undefined) return undefined;
  const { isTooOld: isForgotten, ...answer } = row;
  if (!isForgotten) return answer;
  await forgetting(db, own);
  return undefined;
};

/**
 * Part of the statement that inserts calls (`calls.ts`): `keyed` has the calls whose key was free. Of two requests with
 * one key, the later one waits for the commit of the first and is skipped.
 */
export const keeping = (queries: QueryCreator<Tables>, answers: string) =>
  queries
    .insertInto('IdempotencyRecord')
    .columns([...keptColumns, 'createdAt'])
    .expression((read) =>
      read.selectFrom(rowsOf('IdempotencyRecord', answers)).select([...keptColumns, now.as('createdAt')]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('callId');

const forgettingAll = prepared((queries) => queries.deleteFrom('IdempotencyRecord').where(isTooOld));

/** Deletes expired keys. */
export const deleteExpiredAnswers = async (db: Statements): Promise<void> => {
  await forgettingAll(db, {});
};
