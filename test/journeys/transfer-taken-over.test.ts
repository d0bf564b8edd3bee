/** A transfer that is asked for at another gateway, and that is lost with the one that holds the call. */
import test from 'ava';
import { z } from 'zod';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { until } from '#test/helpers/until.ts';
import { bindAgent, oneDatabase, place, untilStatus, untilTakenOver } from './gateways-of-one-database.ts';

/** Answers whatever is said to it, and goes on when its gateway dies. */
const talks = '01000000001';
const isAbsent = '01000000013';

const events = z.array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }));

test.serial('the agent is told that nobody comes any more, by who takes the call over', async (t) => {
  const { start } = await oneDatabase(t);
  const [holder, other] = [await start('holder'), await start('other')];
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 알겠습니다.'] }));
  t.teardown(agent.close);
  t.is(await bindAgent(holder, agent.binding), 200);
  const { body } = await holder.admin.get('/api/v1/admin/numbers');
  const [number] = z.array(z.object({ id: z.string() })).parse(body['numbers']);
  const numberPath = `/api/v1/admin/numbers/${number?.id}`;
  t.is((await holder.admin.patch(numberPath, { transfer_to: [isAbsent] })).status, 200);
  const callId = await place(holder, talks);
  await until('a second reply is asked for', () => agent.turns[1]);
  const factOf = (type: string) =>
    until(`there is ${type}`, async () => {
      const { body } = await other.client.get(`/api/v1/calls/${callId}/events`);
      return events.parse(body['events']).find((fact) => fact.type === type);
    });
  const ask = () =>
    other.client.post(`/api/v1/calls/${callId}/transfer`, { to: isAbsent, ring_timeout_sec: 120 });
  t.is((await ask()).status, 202);
  await factOf('call.transfer_requested');
  const second = await ask();
  t.deepEqual([second.status, second.body['code']], [409, 'transfer_in_progress']);
  holder.signal('SIGKILL');
  await untilTakenOver(other, callId);
  t.is((await factOf('call.transfer_failed')).data['reason'], 'trunk_error');
  const { body: shown } = await other.client.get(`/api/v1/calls/${callId}`);
  t.like(shown['transfer'], { to: isAbsent, status: 'failed', reason: 'trunk_error' });
  await until('the agent is told', () =>
    JSON.stringify(agent.requests).includes('[transfer failed: trunk_error]') ? true : undefined,
  );
  t.is((await other.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
  await untilStatus(other, callId, 'completed');
});
