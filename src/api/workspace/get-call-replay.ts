import * as z from 'zod';
import { timestamp } from '../fields.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../route.ts';

const replayStep = z
  .object({
    at: timestamp,
    event: z.string().meta({
      description:
        'What moved the charts, such as `line.answered`. `(begin)` is the first state, `(time)` a time that was up. What moved no chart goes by the type of its event.',
      example: 'line.answered',
    }),
    fact: z
      .int()
      .nullable()
      .meta({ description: 'The `sequence` of the event of the call that tells of it.', example: 1 }),
    call: z
      .string()
      .meta({ description: 'Where the chart `call` is then.', example: 'active.talking.conversing' }),
    conversation: z.string().nullable().meta({
      description: 'Where the chart `conversation` is; null while there is none.',
      example: 'listening.silent',
    }),
    voicemail: z.string().nullable().meta({
      description: 'Where the chart `voicemail` is; null while no machine is left a message.',
      example: null,
    }),
  })
  .meta({ id: 'ReplayStep' });

export const getCallReplay = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/replay',
  operationId: 'getCallReplay',
  tag: 'Workspace',
  summary: 'A call once more, through its charts',
  description:
    'What the charts of a call did, step by step, as it was kept when it happened, with the events of the call in their places. Of a call that was made before that was kept, only its events, with its status for the chart `call`. Of a call in progress: what happened until now.',
  auth: 'viewer',
  params: callIdInPath,
  responses: { 200: { description: 'The steps.', schema: z.object({ steps: z.array(replayStep) }) } },
  refusals: ['call_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const call = await services.storedCalls.find({ callId: params.callId, workspaceId: caller.workspace.id });
  return { status: 200, body: { steps: await services.storedCalls.replay(call) } };
});
