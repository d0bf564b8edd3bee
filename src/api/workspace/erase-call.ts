import { eraseCallOf } from '#src/administration/erase-call.ts';
import { administratorOf } from '../audit.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../route.ts';

export const eraseCall = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/calls/{call_id}',
  operationId: 'eraseCall',
  tag: 'Workspace',
  summary: 'Erase a call',
  description:
    'What tells of the other party is gone at once, for good: the transcript, the recording, the instruction, the summary, the metadata, names, keys that were pressed, SIP headers and messages. Of the number the last two digits stay; so do times, durations, the end and figures. Events of the call that are not delivered yet are delivered without it. `call.erased` is sent. The file of the recording is removed within seconds, or as soon as its store is back. Backups are not touched. A call that was erased before stays so.',
  auth: 'admin',
  params: callIdInPath,
  responses: { 204: { description: 'It is erased.' } },
  refusals: ['call_not_found', 'call_active'],
}).handledBy(async ({ caller, params }, services) => {
  await eraseCallOf(administratorOf(services, caller), params.callId);
  return { status: 204 };
});
