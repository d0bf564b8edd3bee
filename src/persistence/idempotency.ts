/**
 * Requests with an `Idempotency-Key`, so that a repetition is answered as the first one was (guides/design/wire.md,
 * "Repeated requests"). What is kept is written in one statement with the call that the request placed (`calls.ts`):
 * whenever the process dies, either both are there or neither.
 */
import { sql, type ExpressionBuilder } from 'kysely';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Tables } from './tables.ts';

/** A request that its sender may repeat. */
export type KeyedRequest = {
  key: string;
  /** Of what was asked under the key: another body is another request. */
  fingerprint: Buffer;
};

/** The request with its answer; `body` is the answer's text, to the byte. */
export type KeyedAnswer = KeyedRequest & { status: number; body: string };

/** How long a key is remembered (guides/design/wire.md, "Repeated requests"). */
const rememberedHours = 24;

const isTooOld = ({ eb }: ExpressionBuilder<Tables, 'IdempotencyRecord'>) =>
  eb(
    'IdempotencyRecord.createdAt',
    '<',
    sql<Date>`now() - make_interval(hours => ${sql.lit(rememberedHours)})`,
  );

/** Keys of one number mean nothing to another. */
type OwnKey = { numberId: string; key: string };

const answerTo = prepared((queries, { numberId, key }: OwnKey) =>
  queries
    .selectFrom('IdempotencyRecord')
    .select(['key', 'fingerprint', 'responseStatus as status', 'responseBody as body'])
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

/** The answer that a request with this key of the number got. A key that is too old is free again. */
export const findKeyedAnswer = async (db: Statements, own: OwnKey): Promise<KeyedAnswer | undefined> => {
  const [row] = await answerTo(db, own);
  if (row === undefined) return undefined;
  const { isTooOld: isForgotten, ...answer } = row;
  if (!isForgotten) return answer;
  await forgetting(db, own);
  return undefined;
};

/**
 * Common table expression over `born` (`calls.ts`), whose rows may have a key and an answer: `keyed` has the ids of the
 * calls whose key was free. Of two requests with one key the later one waits for the commit of the first, and is left
 * out.
 */
export const keyedAnswersWritten = `keyed as (
    insert into idempotency_record (number_id, key, fingerprint, call_id, response_status, response_body, created_at)
    select number_id, idempotency_key, decode(idempotency_fingerprint, 'base64'), id, response_status, response_body, now()
    from born where idempotency_key is not null
    on conflict do nothing
    returning call_id
  )`;

const forgettingAll = prepared((queries) => queries.deleteFrom('IdempotencyRecord').where(isTooOld));

/** Clears away what nobody may ask for any more. */
export const deleteExpiredAnswers = async (db: Statements): Promise<void> => {
  await forgettingAll(db, {});
};
