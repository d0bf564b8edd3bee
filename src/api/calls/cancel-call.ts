import * as z from 'zod';
import { callIdInPath } from '../ids.ts';
import { auditAct } from './audit-act.ts';
import { defineRoute } from '../http/route.ts';

export const cancelCall = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/cancel',
  operationId: 'cancelCall',
  tag: 'Calls',
  summary: 'Cancel a ringing call',
  description:
    'Ends a call that is still ringing; it becomes `no_answer` with `end_reason` `cancelled`. An answered call is hung up instead.',
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  responses: {
    202: {
      description: 'The request was accepted.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('cancel_requested') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'room_unknown', 'hangup_failed', 'hangup_unavailable'],
}).handledBy(async (request, services) => {
  const { callId } = request.params;
  await services.calls.requestCancel({ callId, numberId: request.caller.id });
  await auditAct(request, services, { action: 'call.cancel_requested' });
  return { status: 202, body: { callId, status: 'cancel_requested' } };
});
