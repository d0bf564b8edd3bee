import { answerCallEvents, callEventsDeclaration } from '../calls/get-call-events.ts';
import { defineRoute } from '../route.ts';

export const getWorkspaceCallEvents = defineRoute({
  ...callEventsDeclaration,
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/events',
  operationId: 'getWorkspaceCallEvents',
  tag: 'Workspace',
  summary: 'What happened in a call of any number, and happens',
  auth: 'viewer',
}).handledBy(async ({ caller, params, ...request }, services) => {
  const { id: workspaceId, timeZone } = caller.workspace;
  const call = await services.storedCalls.find({ callId: params.callId, workspaceId });
  return answerCallEvents(call, { ...request, timeZone, key: `admin ${caller.id}` }, services);
});
