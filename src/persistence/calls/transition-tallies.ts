/**
 * Where the calls of a period went through their charts: how often each transition happened, and how long calls stayed
 * in each state. Computed in the database by one statement over the newest calls of the period, whose transitions are
 * found by their primary key.
 */
import { sql } from 'kysely';
import type { JournalledChartName } from '#src/domain/chart-name.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

export type StateTally = {
  chart: JournalledChartName;
  state: string;
  /** How often a call entered the state. */
  entries: number;
  /** Median time in the state in milliseconds; null if no call has left it. */
  medianMs: number | null;
  /** Number of failed calls that were in this state when they ended. */
  failed: number;
};

export type TransitionTally = {
  chart: JournalledChartName;
  /** Null for the beginning of the chart. */
  from: string | null;
  to: string;
  count: number;
};

export type TransitionTallies = {
  /** Number of calls that were read, at most the limit. */
  calls: number;
  /** Start of the oldest of these calls; null without calls. */
  oldest: Date | null;
  states: StateTally[];
  transitions: TransitionTally[];
};

/**
 * Each row is a visit to a state: `ms` is the time until the next transition, null for the current state and before a
 * chart that begins again. A failed call counts for the state that it was in last; in the chart `call`, whose last
 * state is the failure itself, for the state before it.
 */
const tallying = kyselyQuery(
  (queries, { workspaceId, since, mostCalls }: { workspaceId: string; since: Date; mostCalls: number }) =>
    queries
      .with('newest', (read) =>
        read
          .selectFrom('Call')
          .select(['id', 'status', 'startedAt'])
          .where('workspaceId', '=', workspaceId)
          .where('startedAt', '>=', since)
          .orderBy('startedAt', 'desc')
          .orderBy('id', 'desc')
          .limit(mostCalls),
      )
      .with('visit', (read) =>
        read
          .selectFrom('newest')
          .innerJoin('CallTransition as one', 'one.callId', 'newest.id')
          .select(({ eb, ref }) => {
            const life = sql`(partition by ${ref('one.callId')}, ${ref('one.machine')} order by ${ref('one.epoch')}, ${ref('one.sequence')})`;
            const fromEnd = sql`(partition by ${ref('one.callId')}, ${ref('one.machine')} order by ${ref('one.epoch')} desc, ${ref('one.sequence')} desc)`;
            return [
              'one.machine',
              'one.stateBefore',
              'one.stateAfter',
              sql<number | null>`(case when lead(${ref('one.stateBefore')}) over ${life} is not null
                then extract(epoch from lead(${ref('one.at')}) over ${life} - ${ref('one.at')}) * 1000 end)::float8`.as(
                'ms',
              ),
              eb
                .and([
                  eb('newest.status', '=', 'failed'),
                  sql<boolean>`row_number() over ${fromEnd} = case ${ref('one.machine')} when 'call' then 2 else 1 end`,
                ])
                .as('failedHere'),
            ];
          }),
      )
      .selectFrom('visit')
      .select(({ fn, ref, selectFrom }) => [
        'machine',
        'stateBefore',
        'stateAfter',
        sql<number>`grouping(${ref('machine')}, ${ref('stateBefore')})`.as('level'),
        fn.countAll<number>().as('count'),
        sql<number | null>`percentile_cont(0.5) within group (order by ${ref('ms')})::float8`.as('medianMs'),
        sql<number>`count(*) filter (where ${ref('failedHere')})`.as('failed'),
        selectFrom('newest')
          .select(({ fn: { countAll } }) => countAll<number>().as('calls'))
          .as('calls'),
        selectFrom('newest')
          .select(({ fn: { min } }) => min('startedAt').as('oldest'))
          .as('oldest'),
      ])
      .groupBy(
        ({ ref }) =>
          sql`grouping sets ((${ref('machine')}, ${ref('stateAfter')}), (${ref('machine')}, ${ref('stateBefore')}, ${ref('stateAfter')}), ())`,
      )
      .orderBy('count', 'desc'),
);

/** Values of `grouping()`: neither column is aggregated, the state before, or both. */
const levels = { transition: 0, state: 1, all: 3 } as const;

/** Reads the newest calls of a workspace that started since, at most `mostCalls`. */
export const transitionTallies = async (
  db: Statements,
  wanted: { workspaceId: string; since: Date; mostCalls: number },
): Promise<TransitionTallies> => {
  const rows = await tallying(db, wanted);
  const at = (level: number) => rows.filter((row) => row.level === level);
  const [all] = at(levels.all);
  return {
    calls: all?.calls ?? 0,
    oldest: all?.oldest ?? null,
    states: at(levels.state).map(({ machine, stateAfter, count, medianMs, failed }) => ({
      chart: machine,
      state: stateAfter,
      entries: count,
      medianMs: medianMs === null ? null : Math.round(medianMs),
      failed,
    })),
    transitions: at(levels.transition).map(({ machine, stateBefore, stateAfter, count }) => ({
      chart: machine,
      from: stateBefore,
      to: stateAfter,
      count,
    })),
  };
};
