import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../route.ts';
import { requireSimulator } from './script-schema.ts';

export const getSimulatedCall = defineRoute({
  method: 'get',
  path: '/api/v1/admin/simulator/calls/{call_id}',
  operationId: 'getSimulatedCall',
  tag: 'Simulator',
  summary: 'How far the script of a call has come',
  description:
    'Of a call whose caller or callee plays a script with a `rehearsal`. Known of the last thousand, at the gateway that carries the call, until it ends.',
  auth: 'viewer',
  params: callIdInPath,
  responses: {
    200: {
      description: 'The script as it was played.',
      schema: z.object({
        call_id: z.uuid(),
        steps: z.int().meta({ description: 'How many the script has.', example: 5 }),
        steps_done: z.int().meta({ description: 'How many of them came about.', example: 3 }),
        outcome: z.enum(['playing', 'done', 'timed_out']).meta({
          description:
            '`timed_out`: the step behind them did not come about in time. `playing` of a call that has ended: it ended before the script did.',
        }),
      }),
    },
  },
  refusals: ['call_not_found', 'not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const simulator = requireSimulator(services);
  const { callId } = params;
  await services.storedCalls.find({ callId, workspaceId: caller.workspace.id });
  const progress = simulator.scriptProgress(callId);
  if (progress === undefined) throw new Refusal('not_found', 'No script was rehearsed in this call.');
  const { steps, stepsDone, outcome } = progress;
  return { status: 200, body: { callId, steps, stepsDone, outcome } };
});
