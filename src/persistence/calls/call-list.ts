/** Paginated lists of calls. */
import {
  sql,
  type AliasedExpression,
  type Compilable,
  type Expression,
  type ExpressionBuilder,
} from 'kysely';
import type { Direction } from '#machines/line.ts';
import type { CallSearch } from '#src/domain/call-search.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import type { JournalledChartName } from '#src/domain/chart-name.ts';
import { statusesInProgress, type CallStatus, type EndReason } from '#src/domain/end-reasons.ts';
import { callColumns, type CallRow } from './calls.ts';
import { isCancelled } from '../database/connection-errors.ts';
import type { Database } from '../database/database.ts';
import { runQuery } from '../database/kysely-query.ts';
import type { Tables } from '../database/tables.ts';

/** A state of a chart, such as `active.talking`, which includes its inner states. */
export type StateOfChart = { chart: JournalledChartName; state: string };

export type CallListQuery = {
  /** Scope of the list: a number, a workspace, or both. */
  scope: { numberId: string } | { workspaceId: string; numberId?: string | undefined };
  limit: number;
  /**
   * Order by `startedAt`, then by id in the same direction; newest first by default. `longest`: by `durationSec` before
   * that, calls without one last.
   */
  order?: 'newest' | 'oldest' | 'longest' | undefined;
  /** The last call of the previous page. `durationSec` is read only in the order `longest`. */
  after?: { startedAt: Date; id: string; durationSec?: number | null | undefined } | undefined;
  status?: CallStatus | undefined;
  endReason?: EndReason | undefined;
  trunkId?: string | undefined;
  direction?: Direction | undefined;
  /** Filters; a call must match all of them. */
  metadata?: Metadata | undefined;
  /** Calls in progress that are in this state, as far as their transitions are stored. */
  state?: StateOfChart | undefined;
  /** Calls that are or were in this state. */
  visited?: StateOfChart | undefined;
  /** Calls that started at or after this instant. */
  since?: Date | undefined;
  /** Calls that started before this instant. */
  until?: Date | undefined;
  search?: CallSearch | undefined;
};

/** Thrown when a search exceeds the database's time limit because too many calls match. */
export class SearchTooBroad extends Error {
  override readonly name = 'SearchTooBroad';
}

/** Time limit of a search. */
const searchMs = 2_000;

/** Returns calls. To learn whether another page exists, the caller requests one call more than a page. */
export const listCalls = (db: Database, query: CallListQuery): Promise<CallRow[]> => {
  const { search } = query;
  if (search === undefined)
    return mayTakeLong(query) ? withinTime(db, [calls(db, query)]) : calls(db, query).execute();
  switch (search.kind) {
    case 'id':
      return byId(db, query, search).execute();
    case 'words':
      return withinTime(db, [byWords(db, query, search.words)]);
    default:
      return withinTime(db, [byWords(db, query, [search.digits]), inProgress(db, query, search.digits)]).then(
        (found) => found.toSorted(inOrder(query)).slice(0, query.limit),
      );
  }
};

/**
 * Whether the query may read many more calls than a page: filters without an index of their own, and the order by
 * duration, for which all calls that match are read. Its index would cost every call for a rare question.
 */
const mayTakeLong = ({ metadata, state, visited, order }: CallListQuery): boolean =>
  metadata !== undefined || state !== undefined || visited !== undefined || order === 'longest';

/** Returns the number of calls that match, at most `limit`. */
export const countCalls = async (db: Database, query: CallListQuery): Promise<number> => {
  const found = await withinTime(
    db,
    matching(db, query).map((calls) =>
      db.queries.selectFrom(calls).select(({ fn }) => fn.countAll<number>().as('calls')),
    ),
  );
  const all = found.reduce((sum, { calls }) => sum + calls, 0);
  return Math.min(all, query.limit);
};

/** The queries whose results together are the calls that match. */
const matching = (db: Database, query: CallListQuery): AliasedExpression<object, 'found'>[] => {
  const { search } = query;
  if (search === undefined) return [calls(db, query).as('found')];
  switch (search.kind) {
    case 'id':
      return [byId(db, query, search).as('found')];
    case 'words':
      return [byWords(db, query, search.words).as('found')];
    default:
      return [
        byWords(db, query, [search.digits]).as('found'),
        inProgress(db, query, search.digits).as('found'),
      ];
  }
};

const calls = ({ queries }: Database, query: CallListQuery) =>
  queries
    .selectFrom('Call')
    .select(callColumns)
    .where(fits(query))
    .where(isInRange(query, 'Call.startedAt', 'Call.id'))
    .$if(query.order === 'longest', (some) => some.orderBy(lengthIn, 'desc'))
    .orderBy('Call.startedAt', wayOf(query))
    .orderBy('Call.id', wayOf(query))
    .limit(query.limit);

const byId = (db: Database, query: CallListQuery, { first, last }: { first: string; last: string }) =>
  calls(db, query).where('Call.id', '>=', first).where('Call.id', '<=', last);

/**
 * Query for ended calls. The order is that of the search row, which has the same start time, so that no second sort is
 * needed.
 */
const byWords = ({ queries }: Database, query: CallListQuery, words: readonly string[]) => {
  const wanted = words.map((word) => (word.length === 1 ? `'${word}'` : `'${word}':*`)).join(' & ');
  let found = queries
    .selectFrom('CallSearch')
    .innerJoin('Call', 'Call.id', 'CallSearch.callId')
    .select(callColumns)
    .where(({ ref }) => sql<boolean>`${ref('CallSearch.words')} @@ ${wanted}::tsquery`)
    .where(fits(query))
    .where(isInRange(query, 'CallSearch.startedAt', 'CallSearch.callId'))
    .$if(query.order === 'longest', (some) => some.orderBy(lengthIn, 'desc'))
    .orderBy('CallSearch.startedAt', wayOf(query))
    .orderBy('CallSearch.callId', wayOf(query))
    .limit(query.limit);
  const { scope } = query;
  if ('workspaceId' in scope) found = found.where('CallSearch.workspaceId', '=', scope.workspaceId);
  return found;
};

/** Query for calls in progress. Calls in progress are few, and have no search row yet. */
const inProgress = (db: Database, query: CallListQuery, digits: string) =>
  calls(db, query).where('Call.endedAt', 'is', null).where('Call.counterparty', 'like', `%${digits}%`);

const wayOf = ({ order }: CallListQuery) => (order === 'oldest' ? 'asc' : 'desc');

/** Length of a call without a duration: a call in progress. */
const noLength = -1;

const lengthOf = ({ durationSec }: { durationSec?: number | null | undefined }): number =>
  durationSec ?? noLength;

const lengthIn = ({ fn, lit }: ExpressionBuilder<Tables, 'Call'>) =>
  fn.coalesce('Call.durationSec', lit(noLength));

const inOrder =
  (query: CallListQuery) =>
  (one: CallRow, other: CallRow): number => {
    const longer = query.order === 'longest' ? lengthOf(one) - lengthOf(other) : 0;
    const later =
      longer || one.startedAt.getTime() - other.startedAt.getTime() || (one.id < other.id ? -1 : 1);
    return wayOf(query) === 'desc' ? -later : later;
  };

const isInProgress = (status: CallStatus | undefined): boolean =>
  statusesInProgress.some((one) => one === status);

const fits =
  ({ scope, status, endReason, trunkId, direction, metadata, state, visited }: CallListQuery) =>
  ({ and, eb, exists, ref, selectFrom }: ExpressionBuilder<Tables, 'Call'>) =>
    and([
      ...(scope.numberId === undefined ? [] : [eb('Call.numberId', '=', scope.numberId)]),
      ...('workspaceId' in scope ? [eb('Call.workspaceId', '=', scope.workspaceId)] : []),
      ...(status === undefined ? [] : [eb('Call.status', '=', status)]),
      // The database knows calls in progress by their missing end, which has an index.
      ...(isInProgress(status) ? [eb('Call.endedAt', 'is', null)] : []),
      ...(endReason === undefined ? [] : [eb('Call.endReason', '=', endReason)]),
      ...(trunkId === undefined ? [] : [eb('Call.trunkId', '=', trunkId)]),
      ...(direction === undefined ? [] : [eb('Call.direction', '=', direction)]),
      ...(metadata === undefined ? [] : [holds(ref('Call.metadata'), metadata)]),
      ...(state === undefined
        ? []
        : [
            eb('Call.endedAt', 'is', null),
            exists(
              selectFrom(
                selectFrom('CallTransition')
                  .select('stateAfter')
                  .whereRef('callId', '=', 'Call.id')
                  .where('machine', '=', state.chart)
                  .orderBy('epoch', 'desc')
                  .orderBy('sequence', 'desc')
                  .limit(1)
                  .as('last'),
              )
                .select(sql.lit(1).as('is'))
                .where(({ ref: column }) => isWithin(column('last.stateAfter'), state)),
            ),
          ]),
      ...(visited === undefined
        ? []
        : [
            exists(
              selectFrom('CallTransition')
                .select(sql.lit(1).as('is'))
                .whereRef('callId', '=', 'Call.id')
                .where('machine', '=', visited.chart)
                .where(({ ref: column }) => isWithin(column('stateAfter'), visited)),
            ),
          ]),
    ]);

/** Condition: the column is the state, or one of its inner states. */
const isWithin = (column: Expression<string>, { state }: StateOfChart) =>
  sql<boolean>`(${column} = ${state} or starts_with(${column}, ${`${state}.`}))`;

const holds = (column: Expression<Metadata | null>, metadata: Metadata) =>
  sql<boolean>`${column} @> ${JSON.stringify(metadata)}::jsonb`;

type OrderColumns = ['Call.startedAt', 'Call.id'] | ['CallSearch.startedAt', 'CallSearch.callId'];

/** Condition: calls within the requested time range and after the previous page. */
const isInRange =
  ({ after, since, until, order }: CallListQuery, ...[startedAt, id]: OrderColumns) =>
  ({ and, eb, refTuple, tuple }: ExpressionBuilder<Tables, 'Call' | 'CallSearch'>) => {
    const range = [
      ...(since === undefined ? [] : [eb(startedAt, '>=', since)]),
      ...(until === undefined ? [] : [eb(startedAt, '<', until)]),
    ];
    if (after === undefined) return and(range);
    if (order === 'longest') {
      const last = tuple(lengthOf(after), after.startedAt, after.id);
      return and([...range, eb(refTuple(lengthIn, startedAt, id), '<', last)]);
    }
    const last = tuple(after.startedAt, after.id);
    return and([...range, eb(refTuple(startedAt, id), order === 'oldest' ? '>' : '<', last)]);
  };

/** The two queries run in sequence, each with the time limit, so a search takes at most twice the limit. */
const withinTime = async <Found>(db: Database, queries: readonly Compilable<Found>[]): Promise<Found[]> => {
  try {
    return await db.transaction(async (statements) => {
      await runQuery(
        statements,
        db.queries.selectNoFrom(
          sql<string>`set_config('statement_timeout', ${String(searchMs)}, true)`.as('limited'),
        ),
      );
      const found: Found[] = [];
      for (const query of queries) found.push(...(await runQuery(statements, query)));
      return found;
    });
  } catch (error) {
    if (isCancelled(error)) throw new SearchTooBroad('A search took too long', { cause: error });
    throw error;
  }
};
