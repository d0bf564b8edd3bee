import { eraseCallOf } from '#src/administration/erase-call.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';

export const eraseCall = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/calls/{call_id}',
  operationId: 'eraseCall',
  tag: 'Workspace',
  summary: 'Erase a call',
  description:
    'Deletes personal data at once, for good: the transcript, the recording, the instruction, the summary, the metadata, names, DTMF digits, SIP headers and messages. The last two digits of the number remain, as do times, durations, the end reason and statistics. Undelivered events of the call are delivered without the data. `call.erased` is sent. The file of the recording is removed within seconds, or as soon as its store is available. Backups are unchanged. Idempotent.',
  auth: 'admin',
  params: callIdInPath,
  responses: { 204: { description: 'Erased.' } },
  refusals: ['call_not_found', 'call_active'],
}).handledBy(async ({ caller, params }, services) => {
  await eraseCallOf(services.directory.administrator(caller), params.callId);
  return { status: 204 };
});
