import { answerTranscript, transcriptDeclaration } from '../calls/get-transcript.ts';
import { defineRoute } from '../http/route.ts';

export const getWorkspaceTranscript = defineRoute({
  ...transcriptDeclaration,
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/transcript',
  operationId: 'getWorkspaceTranscript',
  tag: 'Workspace',
  summary: 'Read the transcript of a call of any number',
  auth: 'viewer',
}).handledBy(async ({ caller, params }, services) => {
  const call = await services.calls.storedCalls.find({
    callId: params.callId,
    workspaceId: caller.workspace.id,
  });
  return answerTranscript(call, services);
});
