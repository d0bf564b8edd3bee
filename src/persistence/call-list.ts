/** Lists of calls, a page at a time. */
import { sql, type Compilable, type Expression, type ExpressionBuilder } from 'kysely';
import type { Direction } from '#machines/line.ts';
import type { CallSearch } from '#src/domain/call-search.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import type { CallStatus, EndReason } from '#src/domain/end-reasons.ts';
import { callColumns, type CallRow } from './calls.ts';
import { isCancelled } from './connection-errors.ts';
import { inTransaction, type Statements } from './statements.ts';
import type { Tables } from './tables.ts';

export type CallListQuery = {
  /** A number, a workspace, or what both have in common. */
  scope: { numberId: string } | { workspaceId: string; numberId?: string | undefined };
  limit: number;
  /** By `startedAt`, then by id, both the same way; the newest come first unless this says otherwise. */
  order?: 'newest' | 'oldest' | undefined;
  /** The last call of the page before. */
  after?: { startedAt: Date; id: string } | undefined;
  status?: CallStatus | undefined;
  endReason?: EndReason | undefined;
  trunkId?: string | undefined;
  direction?: Direction | undefined;
  /** Calls that have all of it. */
  metadata?: Metadata | undefined;
  /** Calls that started at this instant or later. */
  since?: Date | undefined;
  /** Calls that started before this instant. */
  until?: Date | undefined;
  search?: CallSearch | undefined;
};

/** A search that the database would not have done in time: too much fits it. */
export class SearchTooBroad extends Error {
  override readonly name = 'SearchTooBroad';
}

/** The time that a search may take. */
const searchMs = 2_000;

/** Ask for one more than a page to learn whether there is a next. */
export const listCalls = (db: Statements, query: CallListQuery): Promise<CallRow[]> => {
  const { search } = query;
  if (search === undefined)
    return query.metadata === undefined ? calls(db, query).execute() : withinTime(db, [calls(db, query)]);
  switch (search.kind) {
    case 'id':
      return calls(db, query)
        .where('Call.id', '>=', search.first)
        .where('Call.id', '<=', search.last)
        .execute();
    case 'words':
      return withinTime(db, [byWords(db, query, search.words)]);
    default:
      return withinTime(db, [byWords(db, query, [search.digits]), inProgress(db, query, search.digits)]).then(
        (found) => found.toSorted(inOrder(query)).slice(0, query.limit),
      );
  }
};

const calls = ({ queries }: Statements, query: CallListQuery) =>
  queries
    .selectFrom('Call')
    .select(callColumns)
    .where(fits(query))
    .where(isInPlace(query, 'Call.startedAt', 'Call.id'))
    .orderBy('Call.startedAt', wayOf(query))
    .orderBy('Call.id', wayOf(query))
    .limit(query.limit);

/** Those that are over. The order is that of their search rows, which hold the same moment, so that no other is made. */
const byWords = ({ queries }: Statements, query: CallListQuery, words: readonly string[]) => {
  const wanted = words.map((word) => (word.length === 1 ? `'${word}'` : `'${word}':*`)).join(' & ');
  let found = queries
    .selectFrom('CallSearch')
    .innerJoin('Call', 'Call.id', 'CallSearch.callId')
    .select(callColumns)
    .where(({ ref }) => sql<boolean>`${ref('CallSearch.words')} @@ ${wanted}::tsquery`)
    .where(fits(query))
    .where(isInPlace(query, 'CallSearch.startedAt', 'CallSearch.callId'))
    .orderBy('CallSearch.startedAt', wayOf(query))
    .orderBy('CallSearch.callId', wayOf(query))
    .limit(query.limit);
  const { scope } = query;
  if ('workspaceId' in scope) found = found.where('CallSearch.workspaceId', '=', scope.workspaceId);
  return found;
};

/** They have no search row yet, and are few. */
const inProgress = (db: Statements, query: CallListQuery, digits: string) =>
  calls(db, query).where('Call.endedAt', 'is', null).where('Call.counterparty', 'like', `%${digits}%`);

const wayOf = ({ order = 'newest' }: CallListQuery) => (order === 'newest' ? 'desc' : 'asc');

const inOrder =
  (query: CallListQuery) =>
  (one: CallRow, other: CallRow): number => {
    const later = one.startedAt.getTime() - other.startedAt.getTime() || (one.id < other.id ? -1 : 1);
    return wayOf(query) === 'desc' ? -later : later;
  };

const fits =
  ({ scope, status, endReason, trunkId, direction, metadata }: CallListQuery) =>
  ({ and, eb, ref }: ExpressionBuilder<Tables, 'Call'>) =>
    and([
      ...(scope.numberId === undefined ? [] : [eb('Call.numberId', '=', scope.numberId)]),
      ...('workspaceId' in scope ? [eb('Call.workspaceId', '=', scope.workspaceId)] : []),
      ...(status === undefined ? [] : [eb('Call.status', '=', status)]),
      ...(endReason === undefined ? [] : [eb('Call.endReason', '=', endReason)]),
      ...(trunkId === undefined ? [] : [eb('Call.trunkId', '=', trunkId)]),
      ...(direction === undefined ? [] : [eb('Call.direction', '=', direction)]),
      ...(metadata === undefined ? [] : [holds(ref('Call.metadata'), metadata)]),
    ]);

const holds = (column: Expression<Metadata | null>, metadata: Metadata) =>
  sql<boolean>`${column} @> ${JSON.stringify(metadata)}::jsonb`;

type Place = ['Call.startedAt', 'Call.id'] | ['CallSearch.startedAt', 'CallSearch.callId'];

/** Within the time that is asked for, and behind the page before. */
const isInPlace =
  ({ after, since, until, order }: CallListQuery, ...[startedAt, id]: Place) =>
  ({ and, eb, refTuple, tuple }: ExpressionBuilder<Tables, 'Call' | 'CallSearch'>) =>
    and([
      ...(since === undefined ? [] : [eb(startedAt, '>=', since)]),
      ...(until === undefined ? [] : [eb(startedAt, '<', until)]),
      ...(after === undefined
        ? []
        : [eb(refTuple(startedAt, id), order === 'oldest' ? '>' : '<', tuple(after.startedAt, after.id))]),
    ]);

/** One after the other; together they take no longer than twice the limit. */
const withinTime = async (db: Statements, queries: readonly Compilable<CallRow>[]): Promise<CallRow[]> => {
  try {
    return await inTransaction(db, async ({ run }) => {
      await run(
        db.queries
          .selectNoFrom(sql<string>`set_config('statement_timeout', ${String(searchMs)}, true)`.as('limited'))
          .compile(),
      );
      const found: CallRow[] = [];
      for (const query of queries) found.push(...(await run(query.compile())));
      return found;
    });
  } catch (error) {
    if (isCancelled(error)) throw new SearchTooBroad('A search took too long', { cause: error });
    throw error;
  }
};
