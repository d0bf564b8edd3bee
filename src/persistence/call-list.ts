/** Lists of calls, newest first, a page at a time. */
import type { Direction } from '#machines/line.ts';
import type { CallStatus } from '#src/domain/end-reasons.ts';
import { callColumns, type CallRow } from './calls.ts';
import type { Statements } from './statements.ts';

export type CallListQuery = {
  /** A number, a workspace, or what both have in common. */
  scope: { numberId: string } | { workspaceId: string; numberId?: string | undefined };
  limit: number;
  /** The last call of the page before. */
  after?: { startedAt: Date; id: string } | undefined;
  status?: CallStatus | undefined;
  direction?: Direction | undefined;
  /** Calls that started at this instant or later. */
  since?: Date | undefined;
  /** Calls that started before this instant. */
  until?: Date | undefined;
};

/** By `startedAt`, then by id, both descending. Ask for one more than a page to learn whether there is a next. */
export const listCalls = (db: Statements, query: CallListQuery): Promise<CallRow[]> => {
  const { scope, after, status, direction, since, until, limit } = query;
  let calls = db.queries.selectFrom('Call').select(callColumns);
  if (scope.numberId !== undefined) calls = calls.where('numberId', '=', scope.numberId);
  if ('workspaceId' in scope) calls = calls.where('workspaceId', '=', scope.workspaceId);
  if (after !== undefined) {
    calls = calls.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('startedAt', 'id'), '<', tuple(after.startedAt, after.id)),
    );
  }
  if (status !== undefined) calls = calls.where('status', '=', status);
  if (direction !== undefined) calls = calls.where('direction', '=', direction);
  if (since !== undefined) calls = calls.where('startedAt', '>=', since);
  if (until !== undefined) calls = calls.where('startedAt', '<', until);
  return calls.orderBy('startedAt', 'desc').orderBy('id', 'desc').limit(limit).execute();
};
