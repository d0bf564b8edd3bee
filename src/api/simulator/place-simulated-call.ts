import * as z from 'zod';
import { audit } from '../audit.ts';
import { callStatus, endReason } from '../calls/call-schema.ts';
import { callingNumber, domesticNumber } from '../domestic-number.ts';
import { sipHeaders } from '../sip-headers-field.ts';
import { defineRoute } from '../route.ts';
import { rehearsal } from './rehearsal-schema.ts';
import { requirePlayable, requireSimulator, script } from './script-schema.ts';

export const placeSimulatedCall = defineRoute({
  method: 'post',
  path: '/api/v1/admin/simulator/calls',
  operationId: 'placeSimulatedCall',
  tag: 'Simulator',
  summary: 'Call one of the numbers',
  description:
    'An inbound call arrives on the simulated line. It is answered, or rejected, as a real one would be.',
  auth: 'admin',
  beginsCall: true,
  body: z.strictObject({
    to: z.string().meta({ description: 'A number of the workspace.', example: '07012345678' }),
    from: z.string().meta({
      description:
        'Who calls: a domestic number, `+` and a number of another country, or `anonymous` (also: empty) when withheld.',
      example: '01000000001',
    }),
    sip_headers: sipHeaders.optional().meta({
      description:
        'Headers of its INVITE. Those that a trunk of the number names in its `headers_in` are taken, as on a real line.',
      example: { 'X-Ticket': '1042' },
    }),
    script: script.nullish().meta({ description: 'What the caller does; a polite caller without one.' }),
    rehearsal: rehearsal.optional(),
  }),
  responses: {
    201: {
      description: 'The call arrived. One that was rejected has ended already.',
      schema: z.object({ call_id: z.uuid(), status: callStatus, end_reason: endReason.nullable() }),
    },
  },
  refusals: ['number_not_found', 'not_found', 'concurrency_limit', 'draining', 'over_capacity'],
}).handledBy(async ({ caller, body }, services) => {
  const simulator = requireSimulator(services);
  const to = domesticNumber(services, 'to', body.to);
  const from = callingNumber(services, 'from', body.from);
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
