import { answerRecording, recordingDeclaration } from '../calls/get-recording.ts';
import { defineRoute } from '../http/route.ts';

export const getWorkspaceRecording = defineRoute({
  ...recordingDeclaration,
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/recording',
  operationId: 'getWorkspaceRecording',
  tag: 'Workspace',
  summary: 'Download the recording of a call of any number',
  description: 'Like `getRecording`, for the whole workspace.',
  auth: 'viewer',
}).handledBy(async ({ caller, params, headers, isHead }, services) => {
  const wanted = { callId: params.callId, workspaceId: caller.workspace.id };
  return answerRecording(await services.calls.storedCalls.find(wanted), { headers, isHead }, services);
});
