import * as z from 'zod';
import {
  longestKeyWaitSec,
  mostCollected,
  telephoneKey,
  usualKeyWaitSec,
} from '#src/domain/in-call-request.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../route.ts';

export const collectKeys = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/collect',
  operationId: 'collectKeys',
  tag: 'Calls',
  summary: 'Collect keys of the other party',
  description:
    'What the other party presses comes to the agent as one turn, `[keys] 1234`, when there are as many keys as are wanted, at the key that finishes, or when none has come for a while; `[keys]` alone when none was pressed. It stands in the transcript. Another request takes the place of this one.',
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  body: z.object({
    digits: z.int().min(1).max(mostCollected).nullish().meta({ description: 'So many are all.', example: 4 }),
    finish: z
      .string()
      .regex(telephoneKey)
      .nullish()
      .meta({ description: 'The key that says that these were all; it is none of them.', example: '#' }),
    timeout_sec: z.int().min(1).max(longestKeyWaitSec).default(usualKeyWaitSec).meta({
      description: 'So long is waited for the first key, and for each next one, while nobody speaks.',
    }),
    secret: z.boolean().default(false).meta({
      description:
        "The agent's endpoint alone gets the keys: the transcript, the events, whoever looks on and the recording, which pauses by itself, do not, nor does the built-in agent. Keys that follow are hidden as well, until keys that are not secret are collected.",
    }),
  }),
  responses: {
    202: {
      description: 'The keys are waited for.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('collect_requested') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'room_unknown', 'queue_full'],
}).handledBy(async ({ caller, params, body }, services) => {
  const { callId } = params;
  const { digits = null, finish = null, timeoutSec, secret } = body;
  await services.collectKeys({
    callId,
    numberId: caller.id,
    wanted: { digits, finish, timeoutSec, secret },
  });
  return { status: 202, body: { callId, status: 'collect_requested' } };
});
