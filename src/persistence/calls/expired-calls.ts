/** Erases words and recordings of calls after their retention period, in batches. */
import { sql } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import type { Database } from '../database/database.ts';
import { eraseRecordings, eraseWords } from './erasing.ts';
import { now } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Kept } from '../numbers/retention.ts';
import type { Queries } from '../database/tables.ts';

type Outlived = {
  numberId: string;
  /** Earliest start of the calls that are checked. */
  since: Date;
  days: number;
  most: number;
};

const over = (queries: Queries, { numberId, since, days, most }: Outlived) =>
  queries
    .selectFrom('Call')
    .select(['Call.id', 'Call.startedAt'])
    .where('Call.numberId', '=', numberId)
    .where('Call.startedAt', '>=', since)
    .where('Call.endedAt', '<=', sql<Date>`${now} - make_interval(days => ${days}::int)`)
    .where('Call.startedAt', '<=', sql<Date>`${now} - make_interval(days => ${days}::int)`)
    .where('Call.status', 'not in', statusesInProgress)
    .orderBy('Call.startedAt')
    .limit(most);

const withWords = kyselyQuery((queries, outlived: Outlived) =>
  over(queries, outlived).where('Call.wordsErasedAt', 'is', null),
);

const withRecordings = kyselyQuery((queries, outlived: Outlived) =>
  over(queries, outlived).where(({ exists, selectFrom }) =>
    exists(
      selectFrom('Recording')
        .select('Recording.callId')
        .whereRef('Recording.callId', '=', 'Call.id')
        .where('Recording.erasedAt', 'is', null),
    ),
  ),
);

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
  outlived: Outlived,
): Promise<ErasedCalls | null> => {
  const found = await (kept === 'words' ? withWords : withRecordings)(db, outlived);
  const last = found.at(-1);
  if (last === undefined) return null;
  const callIds = found.map(({ id }) => id);
  await db.transaction(async (statements) => {
    await locked(statements, { callIds });
    await (kept === 'words' ? eraseWords : eraseRecordings)(statements, callIds);
  });
  return { calls: callIds.length, lastStartedAt: last.startedAt };
};
