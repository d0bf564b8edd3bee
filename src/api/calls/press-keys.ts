import * as z from 'zod';
import { dtmfDigits } from '#src/domain/in-call-request.ts';
import { callIdInPath } from '../ids.ts';
import { auditAct } from './audit-act.ts';
import { defineRoute } from '../http/route.ts';

export const pressKeys = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/keys',
  operationId: 'pressKeys',
  tag: 'Calls',
  summary: 'Send DTMF digits',
  description:
    'For a recorded menu or an extension: the other party gets the digits at once, whatever is being said. The events of the call have `keys.pressed` when they were sent, or `keys.failed` if the other party refused them.',
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  body: z.object({
    keys: z.string().regex(dtmfDigits).meta({
      description: 'One or more of `0-9`, `*`, `#` and `A-D`; `w` waits for half a second.',
      example: '1w204#',
    }),
  }),
  responses: {
    202: {
      description: 'The digits are being sent.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('keys_requested') }),
    },
  },
  refusals: [
    'call_not_found',
    'call_not_active',
    'keys_not_available',
    'room_unknown',
    'queue_full',
    'outcome_unknown',
  ],
}).handledBy(async (request, services) => {
  const { caller, params, body } = request;
  const { callId } = params;
  await services.calls.pressKeys({ callId, numberId: caller.id, keys: body.keys });
  await auditAct(request, services, { action: 'call.keys_requested' });
  return { status: 202, body: { callId, status: 'keys_requested' } };
});
