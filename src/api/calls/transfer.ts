import * as z from 'zod';
import {
  longestSaid,
  telephoneKey,
  transferRingBounds,
  usualTransferRingSec,
} from '#src/domain/in-call-request.ts';
import { readDestination } from '#src/domain/read-number.ts';
import { text } from '../fields.ts';
import { callIdInPath } from '../ids.ts';
import { auditAct } from './audit-act.ts';
import { defineRoute } from '../http/route.ts';

/** Target and mode of the transfer. */
export const transferBody = z.object({
  to: z.string().meta({ description: 'A domestic telephone number.', example: '0212345678' }),
  mode: z.enum(['cold', 'warm']).default('cold').meta({
    description:
      '`cold`: the person is connected as soon as they answer. `warm`: the person hears a briefing first, while the other party hears a hold tone.',
    example: 'cold',
  }),
  say: text(longestSaid).nullish().meta({
    description: 'Said to the other party before the person is called; it cannot be interrupted.',
    example: 'One moment, I connect you.',
  }),
  briefing: text(longestSaid).nullish().meta({
    description:
      "Warm transfers only: text that the person hears before being connected. The default says that an agent has answered so far, followed by a summary of the call by the gateway's language model; without a model, or if the summary is not ready when the person answers, by the last words of the other party.",
    example: 'A customer asks about the invoice of October.',
  }),
  accept_key: z.string().regex(telephoneKey).nullish().meta({
    description:
      'Warm transfers only: the digit with which the person accepts the call; it is announced after the briefing. Without a digit they are connected at its end. A person who has not pressed it 15 seconds later is hung up on (`not_accepted`).',
    example: '1',
  }),
  ring_timeout_sec: z
    .int()
    .min(transferRingBounds[0])
    .max(transferRingBounds[1])
    .default(usualTransferRingSec)
    .meta({ description: 'Maximum ringing time. Seconds.', example: usualTransferRingSec }),
  on_failure: z.enum(['resume', 'hang_up']).default('resume').meta({
    description:
      'Behaviour if the person is not connected: the agent is notified and continues, or the call ends with `transfer_failed`.',
    example: 'resume',
  }),
});

export const requestedTransfer = z.object({
  call_id: z.uuid(),
  transfer_id: z.uuid(),
  status: z.literal('transfer_requested'),
});

export const transfer = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/transfer',
  operationId: 'transfer',
  tag: 'Calls',
  summary: 'Transfer a call to a person',
  description:
    'Calls a person and connects them with the other party when they answer; meanwhile the agent is silent, and afterwards it has left the call. Only targets allowed by the setting `transfer_to` of the number are called. The result follows in the events of the call: `call.transfer_connected`, `call.transfer_failed` or `call.transfer_returned`.',
  auth: 'number',
  params: callIdInPath,
  body: transferBody,
  responses: {
    202: {
      description: 'The person is being called.',
      schema: requestedTransfer,
    },
  },
  refusals: [
    'invalid_to',
    'transfer_not_allowed',
    'call_not_found',
    'call_not_active',
    'transfer_in_progress',
    'room_unknown',
    'queue_full',
    'outcome_unknown',
  ],
}).handledBy(async (request, services) => {
  const { caller, params, body } = request;
  const { callId } = params;
  const { country } = services.directory;
  const to = readDestination(body.to, country);
  const { mode, say = null, briefing = null, acceptKey = null, ringTimeoutSec, onFailure } = body;
  const asked = {
    callId,
    numberId: caller.id,
    to,
    mode,
    say,
    briefing,
    acceptKey,
    ringTimeoutSec,
    onFailure,
    country,
  };
  const transferId = await services.calls.transfer(asked);
  await auditAct(request, services, { action: 'call.transfer_requested', detail: { mode } });
  return { status: 202, body: { callId, transferId, status: 'transfer_requested' } };
});

export const cancelTransfer = defineRoute({
  method: 'post',
  path: '/api/v1/calls/{call_id}/transfer/cancel',
  operationId: 'cancelTransfer',
  tag: 'Calls',
  summary: 'Cancel a transfer',
  description:
    'Before the person is connected: the person is no longer called, and the agent continues. A person who answers at the same moment may still be connected. A transfer performed by the trunk (REFER) cannot be cancelled: `transfer_not_cancellable`.',
  auth: 'number',
  params: callIdInPath,
  responses: {
    202: {
      description: 'The transfer is being cancelled.',
      schema: z.object({ call_id: z.uuid(), status: z.literal('transfer_taken_back') }),
    },
  },
  refusals: ['call_not_found', 'call_not_active', 'transfer_not_cancellable', 'room_unknown'],
}).handledBy(async (request, services) => {
  const { callId } = request.params;
  await services.calls.cancelTransfer({ callId, numberId: request.caller.id });
  await auditAct(request, services, { action: 'call.transfer_cancelled' });
  return { status: 202, body: { callId, status: 'transfer_taken_back' } };
});
