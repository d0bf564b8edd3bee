/** Erases words and recordings of calls after their retention period, in batches. */
import { sql } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import type { Database } from '../database/database.ts';
import { eraseRecordings, eraseWords } from './erasing.ts';
import { now } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Kept } from '../numbers/retention.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries } from '../database/tables.ts';

type Outlived = {
  numberId: string;
  /** Earliest start of the calls that are checked. */
  since: Date;
  days: number;
  most: number;
};

/** Selects calls that began before the retention period, oldest first. */
const beganBefore = (queries: Queries, { numberId, since, days }: Omit<Outlived, 'most'>) =>
  queries
    .selectFrom('Call')
    .select(['Call.id', 'Call.startedAt'])
    .where('Call.numberId', '=', numberId)
    .where('Call.startedAt', '>=', since)
    .where('Call.startedAt', '<=', sql<Date>`${now} - make_interval(days => ${days}::int)`)
    .orderBy('Call.startedAt');

type Calls = ReturnType<typeof beganBefore>;

const withWords = (calls: Calls): Calls => calls.where('Call.wordsErasedAt', 'is', null);

const withRecordings = (calls: Calls): Calls =>
  calls.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('Recording')
        .select('Recording.callId')
        .whereRef('Recording.callId', '=', 'Call.id')
        .where('Recording.erasedAt', 'is', null),
    ),
  );

const thatAreOver = (calls: Calls, { days, most }: Pick<Outlived, 'days' | 'most'>): Calls =>
  calls
    .where('Call.endedAt', '<=', sql<Date>`${now} - make_interval(days => ${days}::int)`)
    .where('Call.status', 'not in', statusesInProgress)
    .limit(most);

const outlived = {
  words: kyselyQuery((queries, values: Outlived) =>
    thatAreOver(withWords(beganBefore(queries, values)), values),
  ),
  recordings: kyselyQuery((queries, values: Outlived) =>
    thatAreOver(withRecordings(beganBefore(queries, values)), values),
  ),
};

const first = {
  words: kyselyQuery((queries, values: Omit<Outlived, 'most'>) =>
    withWords(beganBefore(queries, values)).limit(1),
  ),
  recordings: kyselyQuery((queries, values: Omit<Outlived, 'most'>) =>
    withRecordings(beganBefore(queries, values)).limit(1),
  ),
};

/**
 * Returns the start of the first call that began before the retention period and still has data, because its own period
 * is not over; undefined if there is none. Such a call lasted long, or its end was found late.
 */
export const firstUnerasedStart = async (
  db: Statements,
  kept: Kept,
  range: Omit<Outlived, 'most'>,
): Promise<Date | undefined> => (await first[kept](db, range))[0]?.startedAt;

/** Rows are locked in a fixed order, so that gateways cannot deadlock. */
const locked = kyselyQuery((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Call')
    .select('id')
    .where('id', '=', ({ fn, val }) => fn.any(val(callIds)))
    .orderBy('id')
    .forNoKeyUpdate(),
);

export type ErasedCalls = {
  calls: number;
  /** Latest start of these calls. */
  lastStartedAt: Date;
};

/**
 * Erases words or recordings of at most `most` calls whose retention period is over, oldest first. Resolves to null when
 * no such call is left.
 */
export const eraseOutlived = async (
  db: Database,
  kept: Kept,
  range: Outlived,
): Promise<ErasedCalls | null> => {
  const found = await outlived[kept](db, range);
  const last = found.at(-1);
  if (last === undefined) return null;
  const callIds = found.map(({ id }) => id);
  await db.transaction(async (statements) => {
    await locked(statements, { callIds });
    await (kept === 'words' ? eraseWords : eraseRecordings)(statements, callIds);
  });
  return { calls: callIds.length, lastStartedAt: last.startedAt };
};
