/** Lists of calls, newest first, a page at a time. */
import type { Direction } from '#machines/line.ts';
import type { CallStatus } from '#src/domain/end-reasons.ts';
import { callColumns, type CallRow } from './calls.ts';
import type { Database } from './database.ts';

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
export const listCalls = (db: Database, query: CallListQuery): Promise<CallRow[]> => {
  const parameters: unknown[] = [];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const { scope, after } = query;
  const conditions: string[] = [];
  if (scope.numberId !== undefined) conditions.push(`call.number_id = ${add(scope.numberId)}`);
  if ('workspaceId' in scope) conditions.push(`call.workspace_id = ${add(scope.workspaceId)}`);
  if (after !== undefined) {
    conditions.push(
      `(call.started_at, call.id) < (${add(after.startedAt)}::timestamptz, ${add(after.id)}::uuid)`,
    );
  }
  if (query.status !== undefined) conditions.push(`call.status = ${add(query.status)}`);
  if (query.direction !== undefined) conditions.push(`call.direction = ${add(query.direction)}`);
  if (query.since !== undefined) conditions.push(`call.started_at >= ${add(query.since)}`);
  if (query.until !== undefined) conditions.push(`call.started_at < ${add(query.until)}`);
  return db.execute<CallRow>(
    `select ${callColumns} from call where ${conditions.join(' and ')}
     order by call.started_at desc, call.id desc limit ${add(query.limit)}`,
    parameters,
  );
};
