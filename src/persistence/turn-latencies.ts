/** How long the other party waited for the agent, over the turns of a call. */
import { sql } from 'kysely';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';

/** From the last sound of the other party to the first of the reply; null for a turn that was no answer to words. */
const waited = sql<number | null>`(data->'latency'->>'endpointingMs')::float8
  + (data->'latency'->>'firstAudioMs')::float8`;

const slowest = prepared((queries, { callIds }: { callIds: readonly string[] }) =>
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

/** In milliseconds, what 95 % of the turns of a call kept; calls without any such turn are left out. */
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
