/** Calls that each trunk of a workspace carried in a time range. */
import { sql, type Expression, type QueryCreator } from 'kysely';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row, Tables } from '../database/tables.ts';

/** Statistics of one trunk. Means are `null` without a measured call. */
export type CarriedCalls = {
  trunkId: string;
  /** Name of the trunk. If the name changed within the time range, the last name in alphabetical order. */
  name: string;
  /** Number of calls that are no longer ringing. */
  outboundCalls: number;
  outboundAnswered: number;
  inboundCalls: number;
  inboundAnswered: number;
  durationSec: number | null;
  postDialDelayMs: number | null;
  mos: number | null;
  oneWayCalls: number;
};

type Within = { workspaceId: string; since: Date; until: Date };

const mean = (value: Expression<number | null>) => sql<number | null>`avg(${value})::float8`;

/** Mean opinion score of the received audio. */
const mosIn = (sound: Expression<Row<'Call'>['sound']>) =>
  sql<number | null>`(${sound} -> 'received' ->> 'mos')::float8`;

const callsWithin = (queries: QueryCreator<Tables>, { workspaceId, since, until }: Within) =>
  queries
    .selectFrom('Call')
    .where('workspaceId', '=', workspaceId)
    .where('startedAt', '>=', since)
    .where('startedAt', '<', until);

const carried = kyselyQuery((queries, within: Within) =>
  callsWithin(queries, within)
    .where('trunkId', 'is not', null)
    .where('status', '<>', 'ringing')
    .select(({ fn, ref }) => [
      ref('trunkId').$notNull().as('trunkId'),
      fn.max(ref('trunkName').$notNull()).as('name'),
      fn.count<number>('id').filterWhere('direction', '=', 'outbound').as('outboundCalls'),
      fn
        .count<number>('id')
        .filterWhere('direction', '=', 'outbound')
        .filterWhere('answeredAt', 'is not', null)
        .as('outboundAnswered'),
      fn.count<number>('id').filterWhere('direction', '=', 'inbound').as('inboundCalls'),
      fn
        .count<number>('id')
        .filterWhere('direction', '=', 'inbound')
        .filterWhere('answeredAt', 'is not', null)
        .as('inboundAnswered'),
      // Unanswered calls, which have a duration of 0 seconds, are excluded from the mean.
      mean(fn<number | null>('nullif', [ref('durationSec'), sql.lit(0)])).as('durationSec'),
      mean(ref('postDialDelayMs')).as('postDialDelayMs'),
      mean(mosIn(ref('sound'))).as('mos'),
      fn.count<number>('oneWay').as('oneWayCalls'),
    ])
    .groupBy('trunkId')
    .orderBy('name'),
);

const failed = kyselyQuery((queries, within: Within) =>
  queries
    .with('attempt', (read) =>
      callsWithin(read, within)
        .where('failedTrunks', 'is not', null)
        .select(({ ref }) => sql<string>`unnest(${ref('failedTrunks')})`.as('trunkId')),
    )
    .selectFrom('attempt')
    .select(({ fn }) => ['attempt.trunkId', fn.countAll<number>().as('calls')])
    .groupBy('attempt.trunkId'),
);

export const carriedCalls = (db: Statements, within: Within): Promise<CarriedCalls[]> => carried(db, within);

/** Counts failed attempts of calls that then used another trunk, by the failed trunk. */
export const failedCalls = async (db: Statements, within: Within): Promise<ReadonlyMap<string, number>> =>
  new Map((await failed(db, within)).map(({ trunkId, calls }) => [trunkId, calls]));
