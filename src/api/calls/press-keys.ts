import * as z from 'zod';
import { telephoneKeys } from '#src/domain/in-call-request.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../route.ts';

export const pressKeys = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/keys',
  operationId: 'pressKeys',
  tag: 'Calls',
  summary: 'Press keys of the telephone',
  description:
    'For a recorded menu or an extension: the other party gets the keys at once, whatever is being said. They stand in the events of the call as `keys.pressed` when they have gone out, and as `keys.failed` where the other party did not take them.',
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  body: z.object({
    keys: z.string().regex(telephoneKeys).meta({
      description: 'One or more of `0-9`, `*`, `#` and `A-D`; `w` waits for half a second.',
      example: '1w204#',
    }),
  }),
  responses: {
    202: {
      description: 'The keys are being pressed.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('keys_requested') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'keys_not_available', 'room_unknown', 'queue_full'],
}).handledBy(async ({ caller, params, body }, services) => {
  const { callId } = params;
  await services.pressKeys({ callId, numberId: caller.id, keys: body.keys });
  return { status: 202, body: { callId, status: 'keys_requested' } };
});
