import * as z from 'zod';
import { personaOutcomes } from '#src/domain/persona.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';
import { requireSimulator, requirePlayable, script } from './script-schema.ts';
import { audit } from '../http/audit.ts';
import { callStatus, endReason } from '../calls/call-schema.ts';
import { callingNumber, domesticNumber } from '../domestic-number.ts';
import { sipHeaders } from '../sip-headers-field.ts';
import { rehearsal } from './rehearsal-schema.ts';

export const placeSimulatedCall = defineRoute({
  method: 'post',
  path: '/api/v1/admin/simulator/calls',
  operationId: 'placeSimulatedCall',
  tag: 'Simulator',
  summary: 'Call one of the numbers',
  description: 'Places an inbound call on the simulated line. It is answered, or rejected, like a real one.',
  auth: 'admin',
  beginsCall: true,
  body: z.strictObject({
    to: z.string().meta({ description: 'A number of the workspace.', example: '07012345678' }),
    from: z.string().meta({
      description:
        'The caller: a domestic number, `+` and a number of another country, or `anonymous` (also: empty) if withheld.',
      example: '01000000001',
    }),
    sip_headers: sipHeaders.optional().meta({
      description:
        'Headers of its INVITE. Those that a trunk of the number lists in its `headers_in` are accepted, as on a real line.',
      example: { 'X-Ticket': '1042' },
    }),
    script: script.nullish().meta({ description: "The caller's script; a polite caller without one." }),
    rehearsal: rehearsal.optional(),
  }),
  responses: {
    201: {
      description: 'The call arrived. A rejected one has ended already.',
      schema: z.object({ call_id: z.uuid(), status: callStatus, end_reason: endReason.nullable() }),
    },
  },
  refusals: ['number_not_found', 'not_found', 'concurrency_limit', 'draining', 'over_capacity'],
}).handledBy(async ({ caller, body }, services) => {
  const simulator = requireSimulator(services);
  const to = domesticNumber(services.directory.country, 'to', body.to);
  const from = callingNumber(services.directory.country, 'from', body.from);
  if (body.script) await requirePlayable(simulator, body.script, 'caller');
  const call = await simulator.receiveSimulatedCall({
    workspaceId: caller.workspace.id,
    to,
    from,
    script: body.script ?? null,
    ...(body.sipHeaders === undefined ? {} : { sipHeaders: body.sipHeaders }),
    ...(body.rehearsal === undefined ? {} : { rehearsal: body.rehearsal }),
  });
  await audit(services, caller, { action: 'simulator.call_placed', subject: `call:${call.callId}` });
  return { status: 201, body: call };
});

export const getSimulatedCall = defineRoute({
  method: 'get',
  path: '/api/v1/admin/simulator/calls/{call_id}',
  operationId: 'getSimulatedCall',
  tag: 'Simulator',
  summary: 'Read the progress of a script',
  description:
    'For a call whose caller or callee plays a script with a `rehearsal`. Available for the last thousand such calls of the gateway that carries the call, until that gateway ends.',
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
        persona: z
          .object({
            outcome: z.enum(personaOutcomes).meta({
              description:
                '`reached`, `given_up`: the goal, as the person sees it. `turn_limit`: the person spoke `max_turns` times. `model_failed`: the language model did not answer.',
            }),
            reason: z.string().meta({ example: 'The booking is on Friday now.' }),
          })
          .nullable()
          .meta({ description: 'How the persona of the script ended; null before, and without a persona.' }),
      }),
    },
  },
  refusals: ['call_not_found', 'not_found', 'service_unavailable'],
}).handledBy(async ({ caller, params }, services) => {
  const simulator = requireSimulator(services);
  const { callId } = params;
  const call = await services.calls.storedCalls.find({ callId, workspaceId: caller.workspace.id });
  const progress = await simulator.scriptProgress(call);
  if (progress === undefined) throw new Refusal('not_found', 'No script was rehearsed in this call.');
  return { status: 200, body: { callId, ...progress } };
});
