import * as z from 'zod';
import {
  longestKeyWaitSec,
  mostCollected,
  telephoneKey,
  usualKeyWaitSec,
} from '#src/domain/in-call-request.ts';
import { callIdInPath } from '../ids.ts';
import { auditAct } from './audit-act.ts';
import { defineRoute } from '../http/route.ts';

export const collectKeys = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/collect',
  operationId: 'collectKeys',
  tag: 'Calls',
  summary: 'Collect DTMF digits of the other party',
  description:
    'The digits that the other party presses reach the agent as one turn, `[keys] 1234`, when the requested number is reached, at the finishing digit, or after a while without one; `[keys]` alone if none was pressed. The turn is in the transcript. A new request replaces this one.',
  auth: 'number',
  needsNoDatabase: true,
  params: callIdInPath,
  body: z.object({
    digits: z
      .int()
      .min(1)
      .max(mostCollected)
      .nullish()
      .meta({ description: 'The number of digits.', example: 4 }),
    finish: z
      .string()
      .regex(telephoneKey)
      .nullish()
      .meta({ description: 'The digit that finishes the input; it is not included.', example: '#' }),
    timeout_sec: z.int().min(1).max(longestKeyWaitSec).default(usualKeyWaitSec).meta({
      description: 'The longest wait for the first digit and each next one, while neither party speaks.',
    }),
    secret: z.boolean().default(false).meta({
      description:
        "Only the agent's endpoint receives the digits. They are hidden from the transcript, the events, listeners, the recording (which pauses by itself) and the built-in agent. Later digits are hidden as well, until digits that are not secret are collected.",
    }),
  }),
  responses: {
    202: {
      description: 'The digits are being collected.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('collect_requested') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'room_unknown', 'queue_full', 'outcome_unknown'],
}).handledBy(async (request, services) => {
  const { caller, params, body } = request;
  const { callId } = params;
  const { digits = null, finish = null, timeoutSec, secret } = body;
  await services.calls.collectKeys({
    callId,
    numberId: caller.id,
    wanted: { digits, finish, timeoutSec, secret },
  });
  await auditAct(request, services, { action: 'call.collect_requested' });
  return { status: 202, body: { callId, status: 'collect_requested' } };
});
