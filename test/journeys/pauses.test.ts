/** Noise and murmurs over the agent's voice, in calls of a number that lets it pause and of one that does not. */
import test from 'ava';
import { z } from 'zod';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';

const callee = '01055551235';
const events = z.object({ events: z.array(z.object({ type: z.string() })) });

for (const mode of ['pause', 'stop'] as const)
  test(`with "${mode}" noise interrupts nothing, and ${mode === 'pause' ? 'each pause' : 'no pause'} is in the journal`, async (t) => {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '6' });
    t.is((await gateway.admin.patch(gateway.numberPath, { barge_in: { mode } })).status, 200);
    const script = [{ wait_sec: 0.8 }, { noise_sec: 0.5 }, { wait_sec: 10 }, { hang_up: true }];
    const defined = await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script });
    t.true(defined.status < 300, JSON.stringify(defined.body));
    const callId = await gateway.call(callee, '예약 확인');
    await gateway.untilStatus(callId, ...finalStatuses);
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}/events`);
    const types = events.parse(body).events.map(({ type }) => type);
    t.deepEqual(
      types.filter((type) => type.startsWith('agent.')),
      mode === 'pause' ? ['agent.paused', 'agent.resumed'] : [],
    );
    const turns = await gateway.transcript(callId);
    t.true(turns.length > 0 && turns.every(({ role }) => role === 'assistant'));
  });
