/** Response latency of the agent over the turns of a call. */
import { sql } from 'kysely';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

/**
 * Milliseconds from the last sound of the other party to the first of the reply; null for turns that do not answer
 * words.
 */
const waited = sql<number | null>`(data->'latency'->>'endpointingMs')::float8
  + coalesce((data->'latency'->>'queuedMs')::float8, 0)
  + (data->'latency'->>'firstAudioMs')::float8`;

const slowest = kyselyQuery((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('CallFactRow')
    .select([
      'callId',
      sql<number | null>`percentile_disc(0.95) within group (order by ${waited})`.as('milliseconds'),
    ])
    .where(({ eb, fn, val }) => eb('callId', '=', fn.any(val(callIds))))
    .where('type', '=', 'turn.spoken')
    .groupBy('callId'),
);

/**
 * Returns the 95th percentile of each call's response latencies in milliseconds. Calls without a measured turn are
 * omitted.
 */
export const turnLatencies = async (
  db: Statements,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  if (callIds.length === 0) return found;
  for (const { callId, milliseconds } of await slowest(db, { callIds }))
    if (milliseconds !== null) found.set(callId, Math.round(milliseconds));
  return found;
};

/** Percentiles of the response latency in milliseconds; null without measurements. */
export type WaitingTimes = { p50: number | null; p95: number | null; turns: number };

const ofNewest = kyselyQuery(
  (queries, within: { workspaceId: string; from: Date; until: Date; mostCalls: number }) =>
    queries
      .with('newest', (read) =>
        read
          .selectFrom('Call')
          .select('id')
          .where('workspaceId', '=', within.workspaceId)
          .where('startedAt', '>=', within.from)
          .where('startedAt', '<', within.until)
          .where('answeredAt', 'is not', null)
          .orderBy('startedAt', 'desc')
          .orderBy('id', 'desc')
          .limit(within.mostCalls),
      )
      .selectFrom('newest')
      .innerJoin('CallFactRow', 'CallFactRow.callId', 'newest.id')
      .select([
        sql<number | null>`percentile_disc(0.5) within group (order by ${waited})`.as('p50'),
        sql<number | null>`percentile_disc(0.95) within group (order by ${waited})`.as('p95'),
        sql<number>`count(${waited})`.as('turns'),
      ])
      .where('type', '=', 'turn.spoken'),
);

const rounded = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : Math.round(milliseconds);

/**
 * Computes the percentiles over the turns of the newest answered calls of a time range. `mostCalls` limits the cost of
 * a busy day.
 */
export const waitingTimes = async (
  db: Statements,
  within: { workspaceId: string; from: Date; until: Date; mostCalls: number },
): Promise<WaitingTimes> => {
  const [found] = await ofNewest(db, within);
  return {
    p50: rounded(found?.p50 ?? null),
    p95: rounded(found?.p95 ?? null),
    turns: found?.turns ?? 0,
  };
};
