import { callListQuery, callPage, pageOfCalls } from '../calls/list-calls.ts';
import { defineRoute } from '../route.ts';

export const listWorkspaceCalls = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls',
  operationId: 'listWorkspaceCalls',
  tag: 'Workspace',
  summary: 'List the calls of all numbers',
  description: 'As `listCalls`, for the whole workspace.',
  auth: 'admin',
  query: callListQuery,
  responses: { 200: { description: 'A page of calls.', schema: callPage } },
  refusals: [],
}).handledBy(async ({ caller, query }, interior) => {
  const { id: workspaceId, timeZone } = caller.workspace;
  return { status: 200, body: await pageOfCalls(interior, { workspaceId }, query, timeZone) };
});
