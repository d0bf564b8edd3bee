/** Daily counts of a workspace's calls by outcome, read in one pass over the index of the call list. */
import { sql } from 'kysely';
import type { EndReason } from '#src/domain/end-reasons.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

/** A group of calls that have all of these values in common. */
export type CallTally = {
  /** Index of the day, counted from 0. */
  day: number;
  numberId: string;
  number: string;
  direction: 'inbound' | 'outbound';
  /** Id of the call's trunk; null for calls without SIP. */
  trunkId: string | null;
  trunkName: string | null;
  /** End reason; null for calls in progress. */
  endReason: EndReason | null;
  isAnswered: boolean;
  isRinging: boolean;
  calls: number;
};

/**
 * Returns the counts by day. `starts` are the beginnings of the days, in order, as ISO 8601; `until` is the end of the
 * last day.
 */
type Days = { workspaceId: string; starts: readonly string[]; since: Date; until: Date };

const counting = kyselyQuery((queries, { workspaceId, starts, since, until }: Days) =>
  queries
    .selectFrom('Call')
    .select(({ eb, fn, ref, val }) => [
      sql<number>`width_bucket(${ref('startedAt')}, ${val(starts)}::timestamptz[]) - 1`.as('day'),
      'numberId',
      fn.max('ownNumber').as('number'),
      'direction',
      'trunkId',
      fn.max('trunkName').as('trunkName'),
      'endReason',
      eb('answeredAt', 'is not', null).as('isAnswered'),
      eb('status', '=', 'ringing').as('isRinging'),
      fn.countAll<number>().as('calls'),
    ])
    .where('workspaceId', '=', workspaceId)
    .where('startedAt', '>=', since)
    .where('startedAt', '<', until)
    .groupBy(({ ref }) => [
      sql`1`,
      ref('numberId'),
      ref('direction'),
      ref('trunkId'),
      ref('endReason'),
      sql`8`,
      sql`9`,
    ]),
);

export const callTallies = async (
  db: Statements,
  { workspaceId, days }: { workspaceId: string; days: readonly { from: Date; until: Date }[] },
): Promise<CallTally[]> => {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const starts = days.map(({ from }) => from.toISOString());
  const rows = await counting(db, { workspaceId, starts, since: first.from, until: last.until });
  return rows.map((row) => ({
    ...row,
    isAnswered: Boolean(row.isAnswered),
    isRinging: Boolean(row.isRinging),
  }));
};
