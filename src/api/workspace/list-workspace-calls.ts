import * as z from 'zod';
import { callListQuery, callPage, pageOfCalls } from '../calls/list-calls.ts';
import { defineRoute } from '../route.ts';

export const listWorkspaceCalls = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls',
  operationId: 'listWorkspaceCalls',
  tag: 'Workspace',
  summary: 'List the calls of all numbers',
  description: 'As `listCalls`, for the whole workspace.',
  auth: 'viewer',
  query: callListQuery.extend({
    number_id: z.uuid().optional().meta({ description: 'Only calls of this number.' }),
  }),
  responses: { 200: { description: 'A page of calls.', schema: callPage } },
  refusals: [],
}).handledBy(async ({ caller, query: { numberId, ...query } }, services) => {
  const scope = { workspaceId: caller.workspace.id, numberId };
  return { status: 200, body: await pageOfCalls(services, scope, query) };
});
