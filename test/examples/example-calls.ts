/** Calls in both directions with an example agent bound to the number, as the examples' pages describe. */
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { finalStatuses, sharedGatewayWithNumbers, type TestGateway } from '#test/helpers/gateway.ts';

const sharing = sharedGatewayWithNumbers({ GW_SIMULATOR_SPEED: '4' });

/** At a higher speed, the program's time per word would count as a pause, in which the other party begins to speak. */
export const englishGateway = async (t: ExecutionContext): Promise<TestGateway> => {
  const gateway = await sharing(t);
  await gateway.admin.patch(gateway.numberPath, { language: 'en' });
  return gateway;
};

/** The agent's words in a call that must end by its own request. */
const saidUntilHangup = async (
  t: ExecutionContext,
  gateway: TestGateway,
  callId: string,
): Promise<string[]> => {
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
  });
  const turns = await gateway.transcript(callId);
  return turns.filter(({ role }) => role === 'assistant').map(({ text }) => text);
};

export const callOut = async (
  t: ExecutionContext,
  gateway: TestGateway,
  binding: Record<string, string>,
): Promise<string[]> => {
  const path = `${gateway.numberPath}/agents/outbound`;
  t.is((await gateway.admin.put(path, { agent: 'endpoint', ...binding })).status, 200);
  return saidUntilHangup(t, gateway, await gateway.call('01000000001', 'your table for two'));
};

export const callIn = async (
  t: ExecutionContext,
  gateway: TestGateway,
  binding: Record<string, string>,
): Promise<string[]> => {
  const path = `${gateway.numberPath}/agents/inbound`;
  t.is((await gateway.admin.put(path, { agent: 'endpoint', ...binding })).status, 200);
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
    script: [{ say: 'Are you open today?' }, { listen: true }, { say: 'Thank you.' }, { listen: true }],
  });
  return saidUntilHangup(t, gateway, z.string().parse(body['call_id']));
};
