import * as z from 'zod';
import { callListQuery } from '../calls/list-calls.ts';
import { encodeMomentCursor, nextCursor } from '../http/cursor.ts';
import { defineRoute } from '../http/route.ts';
import { listedCall, presentListedCall, wantedCalls, workspaceCallFilters } from './workspace-call-list.ts';

export const listWorkspaceCalls = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls',
  operationId: 'listWorkspaceCalls',
  tag: 'Workspace',
  summary: 'List and search the calls of all numbers',
  description:
    'Ordered by `started_at`, then by `id`. Follow `next_cursor` until it is null, with the same query.',
  auth: 'viewer',
  query: workspaceCallFilters.extend(callListQuery.pick({ limit: true, cursor: true }).shape),
  responses: {
    200: {
      description: 'A page of calls.',
      schema: z
        .object({ calls: z.array(listedCall), next_cursor: nextCursor })
        .meta({ id: 'WorkspaceCallPage' }),
    },
  },
  refusals: ['search_too_broad'],
}).handledBy(async ({ caller, query: { cursor, limit, ...filters } }, services) => {
  const { calls, next } = await services.calls.storedCalls.workspacePage({
    ...wantedCalls(services, caller.workspace, filters),
    after: cursor && { startedAt: cursor.at, id: cursor.id },
    limit,
  });
  return {
    status: 200,
    body: {
      calls: calls.map(presentListedCall),
      nextCursor: next && encodeMomentCursor({ at: next.startedAt, id: next.id }),
    },
  };
});
