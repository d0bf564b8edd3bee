/**
 * Where the calls of a period went through their charts: how often each transition happened, and how long calls stayed
 * in each state. One statement over the newest calls of the period, whose transitions are found by their primary key.
 *
 * The database groups the times by their logarithm, for which it only hashes rows. An exact median would sort all rows
 * once more by their states. A group has its shortest and its longest time, between which the others are taken as evenly
 * distributed: the median of a few times is exact, and that of many is off by less than the width of a group.
 */
import { sql } from 'kysely';
import { journalledChartNames, type JournalledChartName } from '#src/domain/chart-name.ts';
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
  states: StateTally[];
  transitions: TransitionTally[];
};

/** Groups of times by a factor of e: neighbouring groups differ by 5 percent. */
const groupsByE = 20;

/**
 * Each row of `visited` is a transition: `ms` is the time in the state before it, null for the initial state of a chart,
 * also of one that begins again; `isLast` marks the last transition of each chart of a call. A call without transitions
 * has one row without a chart. The transitions are found by an array of calls, so that the server reads each page of the
 * table once, and only pages with these calls, however large the table is.
 */
const tallying = kyselyQuery(
  (queries, { workspaceId, since, mostCalls }: { workspaceId: string; since: Date; mostCalls: number }) =>
    queries
      .with('newest', (read) =>
        read
          .selectFrom('Call')
          .select([
            'id',
            'status',
            // A number is sorted faster than an id.
            sql<number>`(row_number() over (order by started_at desc, id desc))::int`.as('place'),
          ])
          .where('workspaceId', '=', workspaceId)
          .where('startedAt', '>=', since)
          .orderBy('startedAt', 'desc')
          .orderBy('id', 'desc')
          .limit(mostCalls),
      )
      .with('found', (read) =>
        read
          .selectFrom('CallTransition')
          .select(['callId', 'epoch', 'sequence', 'at', 'machine', 'stateBefore', 'stateAfter'])
          .where(
            ({ ref, selectFrom }) =>
              sql<boolean>`${ref('callId')} = any (array(${selectFrom('newest').select('newest.id')}))`,
          ),
      )
      .with('visited', (read) =>
        read
          .selectFrom('newest')
          .leftJoin('found as one', 'one.callId', 'newest.id')
          .select(({ ref }) => {
            const life = sql`(partition by ${ref('newest.place')}, ${ref('one.machine')} collate "C" order by ${ref('one.epoch')}, ${ref('one.sequence')})`;
            return [
              'newest.status',
              'one.machine',
              'one.stateBefore',
              'one.stateAfter',
              sql<number | null>`case when ${ref('one.stateBefore')} is not null
                then date_part('epoch', ${ref('one.at')} - lag(${ref('one.at')}) over ${life}) * 1000 end`.as(
                'ms',
              ),
              sql<boolean>`lead(${ref('one.sequence')}) over ${life} is null`.as('isLast'),
            ];
          }),
      )
      .with('visit', (read) =>
        read.selectFrom('visited').select(({ and, eb, ref }) => [
          'machine',
          'stateBefore',
          'stateAfter',
          'ms',
          // The comparison keeps null, which `greatest` alone would ignore.
          sql<number | null>`case when ${ref('ms')} is not null
              then floor(ln(greatest(1, ${ref('ms')})) * ${sql.lit(groupsByE)})::int end`.as('timeGroup'),
          and([eb('status', '=', 'failed'), eb('isLast', '=', true)]).as('failedHere'),
        ]),
      )
      .selectFrom('visit')
      .select(({ fn, ref, selectFrom }) => [
        'machine',
        'stateBefore',
        'stateAfter',
        'timeGroup',
        fn.countAll<number>().as('count'),
        fn.min('ms').as('leastMs'),
        fn.max('ms').as('mostMs'),
        sql<number>`count(*) filter (where ${ref('failedHere')})`.as('failed'),
        selectFrom('newest')
          .select(({ fn: { countAll } }) => countAll<number>().as('calls'))
          .as('calls'),
      ])
      .groupBy(['machine', 'stateBefore', 'stateAfter', 'timeGroup']),
);

/** Number of times of one group, the shortest and the longest one. */
type TimeGroup = { count: number; leastMs: number; mostMs: number };

/** Row of the statement: the transitions between two states whose times are in one group. */
export type TallyRow = {
  machine: JournalledChartName | null;
  stateBefore: string | null;
  stateAfter: string | null;
  timeGroup: number | null;
  count: number;
  leastMs: number | null;
  mostMs: number | null;
  failed: number;
};

/** Returns a time of a group by its place in the order of their times. */
const timeAt = ({ count, leastMs, mostMs }: TimeGroup, place: number): number =>
  count === 1 ? leastMs : leastMs + ((mostMs - leastMs) * place) / (count - 1);

/** The mean of the two middle times; null without times. */
const medianOf = (groups: readonly TimeGroup[]): number | null => {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  if (count === 0) return null;
  const inOrder = groups.toSorted((one, other) => one.leastMs - other.leastMs);
  const at = (place: number): number => {
    let before = 0;
    for (const group of inOrder) {
      if (place < before + group.count) return timeAt(group, place - before);
      before += group.count;
    }
    return 0;
  };
  return Math.round((at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2);
};

/** Times in the states of a chart, with the times of all transitions out of a state together. */
const createTimes = () => {
  const states = new Map<string, Map<number, TimeGroup>>();
  return {
    add(state: string, group: number, times: TimeGroup): void {
      const groups = states.get(state) ?? new Map<number, TimeGroup>();
      states.set(state, groups);
      const before = groups.get(group) ?? { ...times, count: 0 };
      groups.set(group, {
        count: before.count + times.count,
        leastMs: Math.min(before.leastMs, times.leastMs),
        mostMs: Math.max(before.mostMs, times.mostMs),
      });
    },
    medianOf: (state: string): number | null => medianOf([...(states.get(state)?.values() ?? [])]),
  };
};

const addTo = (numbers: Map<string, number>, name: string, change: number): void => {
  numbers.set(name, (numbers.get(name) ?? 0) + change);
};

const ofChart = (
  chart: JournalledChartName,
  rows: readonly TallyRow[],
): Pick<TransitionTallies, 'states' | 'transitions'> => {
  const entries = new Map<string, number>();
  const failed = new Map<string, number>();
  const times = createTimes();
  const transitions = new Map<string, TransitionTally>();
  for (const row of rows) {
    const { machine, stateBefore: from, stateAfter: to, timeGroup, count, leastMs, mostMs } = row;
    if (machine !== chart || to === null) continue;
    addTo(entries, to, count);
    const name = JSON.stringify([from, to]);
    const known = transitions.get(name);
    transitions.set(name, { chart, from, to, count: count + (known?.count ?? 0) });
    if (from !== null && timeGroup !== null && leastMs !== null && mostMs !== null)
      times.add(from, timeGroup, { count, leastMs, mostMs });
    // The last state of the chart `call` is the failure itself: such a call failed in the state before it.
    const failedIn = chart === 'call' ? from : to;
    if (failedIn !== null) addTo(failed, failedIn, row.failed);
  }
  return {
    states: Array.from(entries, ([state, number]) => ({
      chart,
      state,
      entries: number,
      medianMs: times.medianOf(state),
      failed: failed.get(state) ?? 0,
    })),
    transitions: [...transitions.values()],
  };
};

/** Adds the rows up. The most frequent states and transitions come first. */
export const talliesOf = (rows: readonly TallyRow[]): Pick<TransitionTallies, 'states' | 'transitions'> => {
  const charts = journalledChartNames.map((chart) => ofChart(chart, rows));
  return {
    states: charts.flatMap(({ states }) => states).toSorted((one, other) => other.entries - one.entries),
    transitions: charts
      .flatMap(({ transitions }) => transitions)
      .toSorted((one, other) => other.count - one.count),
  };
};

/** Reads the newest calls of a workspace that started since, at most `mostCalls`. */
export const transitionTallies = async (
  db: Statements,
  wanted: { workspaceId: string; since: Date; mostCalls: number },
): Promise<TransitionTallies> => {
  const rows = await tallying(db, wanted);
  return { calls: rows[0]?.calls ?? 0, ...talliesOf(rows) };
};
