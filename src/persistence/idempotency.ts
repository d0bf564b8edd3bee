/**
 * Requests with an `Idempotency-Key`, so that a repetition is answered as the first one was (guides/design/wire.md,
 * "Repeated requests"). What is kept is written in one statement with the call that the request placed (`calls.ts`):
 * whenever the process dies, either both are there or neither.
 */
import type { Database } from './database.ts';

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

const isTooOld = `created_at < now() - make_interval(hours => ${rememberedHours})`;

/** The answer that a request with this key of the number got. A key that is too old is free again. */
export const findKeyedAnswer = async (
  db: Database,
  /** Keys of one number mean nothing to another. */
  { numberId, key }: { numberId: string; key: string },
): Promise<KeyedAnswer | undefined> => {
  const [row] = await db.execute<KeyedAnswer & { isTooOld: boolean }>(
    `select key, fingerprint, response_status as status, response_body as body, ${isTooOld} as "isTooOld"
     from idempotency_record where number_id = $1 and key = $2`,
    [numberId, key],
  );
  if (row === undefined) return undefined;
  const { isTooOld: isForgotten, ...answer } = row;
  if (!isForgotten) return answer;
  await db.execute(`delete from idempotency_record where number_id = $1 and key = $2 and ${isTooOld}`, [
    numberId,
    key,
  ]);
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

/** Clears away what nobody may ask for any more. */
export const forgetOldAnswers = async (db: Database): Promise<void> => {
  await db.execute(`delete from idempotency_record where ${isTooOld}`);
};
