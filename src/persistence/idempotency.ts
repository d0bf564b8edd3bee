/** Requests with an `Idempotency-Key`, so that a repetition is answered as the first one was (decisions 2). */
import type { Database } from './database.ts';

export type IdempotencyKey = {
  /** Keys of one number mean nothing to another. */
  numberId: string;
  key: string;
};

export type IdempotencyState =
  /** Nobody asked this before: the caller now runs the request, then finishes or forgets it. */
  | { state: 'new' }
  /** The first request has not been answered yet. */
  | { state: 'running' }
  /** `body` is the answer's text, to the byte. */
  | { state: 'done'; status: number; body: string }
  /** The key was used with another body. */
  | { state: 'reused' };

/** How long a key is remembered (decisions 2). */
const rememberedHours = 24;
/** A request that was still running when its process died does not block its key for longer than this. */
const runningMinutes = 5;

type Row = { fingerprint: Buffer; state: 'running' | 'done'; status: number | null; body: string | null };

/** `fingerprint` is of the request's body. */
export const beginIdempotentRequest = async (
  db: Database,
  { numberId, key, fingerprint }: IdempotencyKey & { fingerprint: Buffer },
): Promise<IdempotencyState> => {
  // A key that is too old counts as new, whether or not it was cleared away yet.
  const begun = await db.execute(
    `insert into idempotency_record as record (number_id, key, fingerprint, state, created_at)
     values ($1, $2, $3, 'running', now())
     on conflict (number_id, key) do update
     set fingerprint = excluded.fingerprint, state = 'running', response_status = null, response_body = null,
       created_at = excluded.created_at
     where record.created_at < now() - make_interval(hours => ${rememberedHours})
       or (record.state = 'running' and record.created_at < now() - make_interval(mins => ${runningMinutes}))
     returning 1`,
    [numberId, key, fingerprint],
  );
  if (begun.length > 0) return { state: 'new' };
  const [row] = await db.execute<Row>(
    `select fingerprint, state, response_status as status, response_body as body
     from idempotency_record where number_id = $1 and key = $2`,
    [numberId, key],
  );
  // It was forgotten between the two statements; asking again is safe.
  if (row === undefined) return beginIdempotentRequest(db, { numberId, key, fingerprint });
  if (!row.fingerprint.equals(fingerprint)) return { state: 'reused' };
  if (row.state === 'running' || row.status === null || row.body === null) return { state: 'running' };
  return { state: 'done', status: row.status, body: row.body };
};

/** Stores the answer for repetitions. */
export const finishIdempotentRequest = async (
  db: Database,
  { numberId, key, status, body }: IdempotencyKey & { status: number; body: string },
): Promise<void> => {
  await db.execute(
    `update idempotency_record set state = 'done', response_status = $3, response_body = $4
     where number_id = $1 and key = $2`,
    [numberId, key, status, body],
  );
};

/** The request came to nothing: a repetition runs it anew. */
export const forgetIdempotentRequest = async (
  db: Database,
  { numberId, key }: IdempotencyKey,
): Promise<void> => {
  await db.execute(`delete from idempotency_record where number_id = $1 and key = $2 and state = 'running'`, [
    numberId,
    key,
  ]);
};

/** Clears away what nobody may ask for any more. */
export const forgetOldIdempotentRequests = async (db: Database): Promise<void> => {
  await db.execute(
    `delete from idempotency_record where created_at < now() - make_interval(hours => ${rememberedHours})`,
  );
};
