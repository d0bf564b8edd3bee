import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';
import { callRecord } from './call-schema.ts';
import { presentCall } from './present-call.ts';

export const getCall = defineRoute({
  method: 'get',
  path: '/api/v1/calls/{call_id}',
  operationId: 'getCall',
  tag: 'Calls',
  summary: 'Read a call',
  description:
    'The call as it is now. `ended_at - started_at` includes the ringing; `duration_sec` does not.',
  auth: 'number',
  params: callIdInPath,
  responses: { 200: { description: 'The call.', schema: callRecord } },
  refusals: ['call_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const { call, latency } = await services.calls.storedCalls.findWithLatency({
    callId: params.callId,
    numberId: caller.id,
  });
  return { status: 200, body: presentCall(call, latency) };
});
