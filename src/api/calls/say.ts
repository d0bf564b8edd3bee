import * as z from 'zod';
import { longestSaid } from '#src/domain/in-call-request.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../route.ts';

export const say = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/say',
  operationId: 'say',
  tag: 'Calls',
  summary: "Say something in the agent's place",
  description:
    'The words are said as soon as the floor is free: behind a reply of the agent, and behind its answer to what the other party is saying. The other party may interrupt them as it may interrupt the agent. What was heard of them is a turn of the assistant in the transcript, and the agent knows it; that they were asked for stands in the events of the call as `say.requested`.',
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  body: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(longestSaid)
      .meta({ description: 'Spoken as replies are, sentence by sentence.', example: 'One moment, please.' }),
    interrupt: z.boolean().optional().meta({
      description:
        'Said at once instead of what the agent is saying or thinking of, which is given up. A question of the other party that is not answered yet is answered afterwards. Nobody who speaks is talked over.',
      example: false,
    }),
  }),
  responses: {
    202: {
      description: 'The words will be said.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('say_requested') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'room_unknown', 'queue_full'],
}).handledBy(async ({ caller, params, body }, services) => {
  const { callId } = params;
  await services.say({ callId, numberId: caller.id, text: body.text, interrupt: body.interrupt ?? false });
  return { status: 202, body: { callId, status: 'say_requested' } };
});
