import { answerCallEvents, callEventsDeclaration } from '../calls/get-call-events.ts';
import { defineRoute } from '../http/route.ts';

export const getWorkspaceCallEvents = defineRoute({
  ...callEventsDeclaration,
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/events',
  operationId: 'getWorkspaceCallEvents',
  tag: 'Workspace',
  summary: 'Read or stream the events of a call of any number',
  auth: 'viewer',
}).handledBy(async ({ caller, params, ...request }, services) => {
  const { id: workspaceId, timeZone } = caller.workspace;
  const call = await services.calls.storedCalls.find({ callId: params.callId, workspaceId });
  return answerCallEvents(call, { ...request, timeZone, key: `admin ${caller.id}` }, services);
});
