import * as z from 'zod';
import { defineRoute } from '../http/route.ts';
import { wantedCalls, workspaceCallFilters } from './workspace-call-list.ts';

/** Counting more calls would cost the database more than the number is worth. */
const mostCounted = 10_000;

export const countWorkspaceCalls = defineRoute({
  method: 'get',
  path: '/api/v1/admin/call-count',
  operationId: 'countWorkspaceCalls',
  tag: 'Workspace',
  summary: 'Count the listed calls',
  description: `The number of calls of \`listWorkspaceCalls\` with the same query, counted up to ${mostCounted}.`,
  auth: 'viewer',
  query: workspaceCallFilters.omit({ order: true }),
  responses: {
    200: {
      description: 'The number of calls.',
      schema: z
        .object({
          calls: z.int().meta({ description: `At most ${mostCounted}.`, example: 130 }),
          has_more: z.boolean().meta({ description: 'Whether there are more calls than that.' }),
        })
        .meta({ id: 'CallCount' }),
    },
  },
  refusals: ['search_too_broad'],
}).handledBy(async ({ caller, query }, services) => {
  const wanted = wantedCalls(services, caller.workspace, { ...query, order: 'newest' });
  const counted = await services.calls.storedCalls.count({ ...wanted, limit: mostCounted + 1 });
  return {
    status: 200,
    body: { calls: Math.min(counted, mostCounted), hasMore: counted > mostCounted },
  };
});
