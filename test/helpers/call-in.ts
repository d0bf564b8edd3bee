/** A scripted caller on the simulated line, and the agent that answers the call. */
import { z } from 'zod';
import { finalStatuses, type TestGateway } from './gateway.ts';

/** How the call ended, and what the agent said in it. */
export const callInBy = async (gateway: TestGateway, script: readonly Record<string, unknown>[]) => {
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
    script,
  });
  const callId = z.string().parse(body['call_id']);
  const ended = await gateway.untilStatus(callId, ...finalStatuses);
  const turns = await gateway.transcript(callId);
  return { ended, said: turns.filter(({ role }) => role === 'assistant').map(({ text }) => text) };
};
