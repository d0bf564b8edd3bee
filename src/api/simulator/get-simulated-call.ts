import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';
import { requireSimulator } from './script-schema.ts';

export const getSimulatedCall = defineRoute({
  method: 'get',
  path: '/api/v1/admin/simulator/calls/{call_id}',
  operationId: 'getSimulatedCall',
  tag: 'Simulator',
  summary: 'Read the progress of a script',
  description:
    'For a call whose caller or callee plays a script with a `rehearsal`. Available for the last thousand such calls, at the gateway that carries the call, until it ends.',
  auth: 'viewer',
  params: callIdInPath,
  responses: {
    200: {
      description: 'The script and its progress.',
      schema: z.object({
        call_id: z.uuid(),
        steps: z.int().meta({ description: 'Number of steps of the script.', example: 5 }),
        steps_done: z.int().meta({ description: 'Number of completed steps.', example: 3 }),
        outcome: z.enum(['playing', 'done', 'timed_out']).meta({
          description:
            '`timed_out`: the next step did not complete in time. `playing` for an ended call: the call ended before the script did.',
        }),
      }),
    },
  },
  refusals: ['call_not_found', 'not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const simulator = requireSimulator(services);
  const { callId } = params;
  await services.calls.storedCalls.find({ callId, workspaceId: caller.workspace.id });
  const progress = simulator.scriptProgress(callId);
  if (progress === undefined) throw new Refusal('not_found', 'No script was rehearsed in this call.');
  const { steps, stepsDone, outcome } = progress;
  return { status: 200, body: { callId, steps, stepsDone, outcome } };
});
