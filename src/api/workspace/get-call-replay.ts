import * as z from 'zod';
import { timestamp } from '../fields.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';

export const replayStep = z
  .object({
    at: timestamp,
    event: z.string().meta({
      description:
        'The event of the transition, such as `line.answered`. `(begin)` is the first state, `(time)` an elapsed delay. Events without a transition have their own type.',
      example: 'line.answered',
    }),
    fact: z
      .int()
      .nullable()
      .meta({ description: 'The `sequence` of the corresponding event of the call.', example: 1 }),
    call: z.string().meta({
      description: 'The state of the chart `call` afterwards.',
      example: 'active.talking.conversing',
    }),
    conversation: z.string().nullable().meta({
      description: 'The state of the chart `conversation`; null if it is not running.',
      example: 'listening.silent',
    }),
    voicemail: z.string().nullable().meta({
      description: 'The state of the chart `voicemail`; null unless a message is being left on a machine.',
      example: null,
    }),
  })
  .meta({ id: 'ReplayStep' });

export const getCallReplay = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/replay',
  operationId: 'getCallReplay',
  tag: 'Workspace',
  summary: 'Replay a call through its charts',
  description:
    "The transitions of a call's charts, step by step, as stored when they happened, with the events of the call in their places. For calls from before they were stored: only events, with the status of the chart `call`. For a call in progress: the steps so far.",
  auth: 'viewer',
  params: callIdInPath,
  responses: { 200: { description: 'The steps.', schema: z.object({ steps: z.array(replayStep) }) } },
  refusals: ['call_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const call = await services.calls.storedCalls.find({
    callId: params.callId,
    workspaceId: caller.workspace.id,
  });
  return { status: 200, body: { steps: await services.calls.storedCalls.replay(call) } };
});
