/** ASR, ACD, PDD and MOS of trunks, of the calls that are stored. */
import test from 'ava';
import { z } from 'zod';
import type { CallRow } from '#src/persistence/calls.ts';
import { someSound } from '#test/helpers/some-sound.ts';
import { addWorkspace, fakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const path = '/api/v1/admin/trunk-figures?since=2026-11-21T00:00:00Z&until=2026-11-22T00:00:00Z';

const soundOf = (mos: number) => ({ ...someSound, received: { ...someSound.received, mos } });

const unanswered = {
  status: 'no_answer',
  endReason: 'busy',
  answeredAt: null,
  durationSec: 0,
} satisfies Partial<CallRow>;

const withTrunks = async (t: Parameters<typeof fakeGateway>[0]) => {
  const gateway = await fakeGateway(t);
  const add = async (name: string): Promise<string> => {
    const { body } = await gateway.admin.post('/api/v1/admin/trunks', { name, host: 'sip.example.com' });
    return z.object({ id: z.string() }).parse(body).id;
  };
  return { gateway, near: await add('near'), far: await add('far') };
};

test('each trunk has the figures of its calls, one that had none has zeros', async (t) => {
  const { gateway, near, far } = await withTrunks(t);
  const over = { trunkId: near, trunkName: 'near' };
  await storeCall(gateway, { ...over, durationSec: 30, postDialDelayMs: 1_000, sound: soundOf(4) });
  await storeCall(gateway, { ...over, durationSec: 90, postDialDelayMs: 3_000, oneWay: 'nothing_received' });
  await storeCall(gateway, { ...over, ...unanswered, postDialDelayMs: 2_000 });
  await storeCall(gateway, { ...over, ...unanswered });
  await storeCall(gateway, { ...over, direction: 'inbound', durationSec: 60, sound: soundOf(3) });
  t.like((await gateway.admin.get(path)).body, {
    since: '2026-11-21T09:00:00.000+09:00',
    until: '2026-11-22T09:00:00.000+09:00',
    trunks: [
      {
        trunk_id: near,
        name: 'near',
        outbound_calls: 4,
        outbound_answered: 2,
        outbound_failed_over: 0,
        inbound_calls: 1,
        inbound_answered: 1,
        answer_seizure_ratio: 0.5,
        average_call_duration_sec: 60,
        post_dial_delay_ms: 2_000,
        mos: 3.5,
        one_way_calls: 1,
      },
      {
        trunk_id: far,
        name: 'far',
        outbound_calls: 0,
        inbound_calls: 0,
        answer_seizure_ratio: null,
        average_call_duration_sec: null,
        post_dial_delay_ms: null,
        mos: null,
        one_way_calls: 0,
      },
    ],
  });
});

test('a trunk is not spared the calls that another one had to take', async (t) => {
  const { gateway, near, far } = await withTrunks(t);
  await storeCall(gateway, { trunkId: near, trunkName: 'near' });
  for (let calls = 1; calls <= 3; calls += 1)
    await storeCall(gateway, { trunkId: far, trunkName: 'far', failedTrunks: [near] });
  t.like((await gateway.admin.get(path)).body, {
    trunks: [
      { name: 'near', outbound_calls: 1, outbound_failed_over: 3, answer_seizure_ratio: 0.25 },
      { name: 'far', outbound_calls: 3, outbound_failed_over: 0, answer_seizure_ratio: 1 },
    ],
  });
});

test('what rings still, what was before or after, and what is of others is not counted', async (t) => {
  const { gateway, near } = await withTrunks(t);
  const over = { trunkId: near, trunkName: 'near' };
  await storeCall(gateway, { ...over, ...unanswered, status: 'ringing', endReason: null, endedAt: null });
  await storeCall(gateway, { ...over, startedAt: new Date('2026-11-20T23:59:59Z') });
  await storeCall(gateway, { ...over, startedAt: new Date('2026-11-22T00:00:00Z') });
  await storeCall(gateway);
  t.like((await gateway.admin.get(path)).body, {
    trunks: [{ name: 'near', outbound_calls: 0 }, { name: 'far' }],
  });
  const { adminToken } = await addWorkspace(gateway.database);
  t.deepEqual((await gateway.admin.as(adminToken).get(path)).body['trunks'], []);
});

test('a trunk that is deleted is there as long as its calls are, and that of the configuration is one', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway, { trunkId: 'configured', trunkName: 'GW_TRUNK' });
  await storeCall(gateway, { trunkId: 'gone', trunkName: 'An old one' });
  t.like((await gateway.admin.get(path)).body, {
    trunks: [
      { trunk_id: 'gone', name: 'An old one', outbound_calls: 1 },
      { trunk_id: 'configured', name: 'GW_TRUNK', outbound_calls: 1 },
    ],
  });
});
