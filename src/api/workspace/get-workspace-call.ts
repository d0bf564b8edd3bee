import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';
import { presentWorkspaceCall, workspaceCall } from './workspace-call-schema.ts';

export const getWorkspaceCall = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}',
  operationId: 'getWorkspaceCall',
  tag: 'Workspace',
  summary: 'Read a call of any number',
  description: 'Like `getCall`, for the whole workspace, with the trunk and the addresses of the call.',
  auth: 'viewer',
  params: callIdInPath,
  responses: { 200: { description: 'The call.', schema: workspaceCall } },
  refusals: ['call_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const call = await services.calls.storedCalls.find({
    callId: params.callId,
    workspaceId: caller.workspace.id,
  });
  return { status: 200, body: presentWorkspaceCall(call) };
});
