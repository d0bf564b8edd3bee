import * as z from 'zod';
import { longestSaid } from '#src/domain/in-call-request.ts';
import { callIdInPath } from '../ids.ts';
import { auditAct } from './audit-act.ts';
import { defineRoute } from '../http/route.ts';

export const say = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/say',
  operationId: 'say',
  tag: 'Calls',
  summary: 'Say something as the agent',
  description:
    "The words are said as soon as the floor is free: after the agent's current reply, and after its answer to what the other party is saying. The other party can interrupt them. The part that was heard is an assistant turn in the transcript and known to the agent; the request is `say.requested` in the events of the call.",
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  body: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(longestSaid)
      .meta({ description: 'Spoken like a reply, sentence by sentence.', example: 'One moment, please.' }),
    interrupt: z.boolean().optional().meta({
      description:
        "Said at once; the agent's current reply is dropped, whether spoken or being generated. An unanswered question of the other party is answered afterwards. The other party is never talked over.",
      example: false,
    }),
  }),
  responses: {
    202: {
      description: 'The words will be said.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('say_requested') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'room_unknown', 'queue_full', 'outcome_unknown'],
}).handledBy(async (request, services) => {
  const { caller, params, body } = request;
  const { callId } = params;
  await services.calls.say({
    callId,
    numberId: caller.id,
    text: body.text,
    interrupt: body.interrupt ?? false,
  });
  await auditAct(request, services, { action: 'call.say_requested' });
  return { status: 202, body: { callId, status: 'say_requested' } };
});
