import * as z from 'zod';
import { callIdInPath } from '../ids.ts';
import { auditAct } from './audit-act.ts';
import { defineRoute } from '../http/route.ts';

export const hangUpBody = z.object({
  immediate: z
    .boolean()
    .optional()
    .meta({ description: 'End the call at once, without waiting for the farewell.', example: false }),
});

export const hangUp = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/hangup',
  operationId: 'hangUp',
  tag: 'Calls',
  summary: 'Ask a call to hang up',
  description:
    'The call ends after the farewell was heard, and continues if the other party speaks during it. Say the farewell before or while requesting. The event `call.ended` with `end_reason` `agent_hangup` reports the end. On any error the call continues.',
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  body: hangUpBody.optional(),
  responses: {
    202: {
      description: 'The request was accepted.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('hangup_requested') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'room_unknown', 'hangup_failed', 'hangup_unavailable'],
}).handledBy(async (request, services) => {
  const { callId } = request.params;
  const immediate = request.body?.immediate ?? false;
  await services.calls.requestHangup({ callId, numberId: request.caller.id, immediate });
  await auditAct(request, services, { action: 'call.hangup_requested', detail: { immediate } });
  return { status: 202, body: { callId, status: 'hangup_requested' } };
});
