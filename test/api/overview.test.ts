/** The overview, against calls that are counted by hand. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { CallRow } from '#src/persistence/calls.ts';
import { systemClock } from '#src/clocks.ts';
import { addNumber, addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const path = '/api/v1/admin/overview';

const at = (now: string) => ({ clock: { ...systemClock, now: () => Date.parse(now) } });

const unanswered = (endReason: CallRow['endReason']) =>
  ({ status: 'no_answer', endReason, answeredAt: null, durationSec: 0 }) satisfies Partial<CallRow>;

const started = (moment: string) => ({ startedAt: new Date(moment) });

const inZone = (gateway: FakeGateway, zone: string) =>
  gateway.admin.patch('/api/v1/admin/workspace', { time_zone: zone });

/** A reply that was heard `endpointingMs` and `firstAudioMs` after the words before it. */
const storeTurn = (
  { database }: FakeGateway,
  callId: string,
  sequence: number,
  latency: { endpointingMs?: number; firstAudioMs?: number },
) =>
  database.execute(
    `insert into call_fact (call_id, sequence, type, at, data) values ($1, $2, 'turn.spoken', now(), $3)`,
    [callId, sequence, { turn: sequence, latency }],
  );

test('a call belongs to the day on which it started, in the time zone of the workspace', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T03:00:00Z'));
  // In Seoul, nine hours ahead, the 21st begins at 15:00 of the 20th.
  await storeCall(gateway, started('2026-11-20T14:59:59.999Z'));
  await storeCall(gateway, { ...started('2026-11-20T15:00:00.000Z'), ...unanswered('busy') });
  await storeCall(gateway, started('2026-11-21T02:59:59.000Z'));
  await storeCall(gateway, started('2026-11-18T14:59:59.999Z'));
  t.like((await gateway.admin.get(`${path}?days=3`)).body, {
    days: [
      {
        from: '2026-11-19T00:00:00.000+09:00',
        until: '2026-11-20T00:00:00.000+09:00',
        calls: 0,
        answered: 0,
      },
      {
        from: '2026-11-20T00:00:00.000+09:00',
        until: '2026-11-21T00:00:00.000+09:00',
        calls: 1,
        answered: 1,
      },
      {
        from: '2026-11-21T00:00:00.000+09:00',
        until: '2026-11-22T00:00:00.000+09:00',
        calls: 2,
        answered: 1,
      },
    ],
    end_reasons: [
      { end_reason: 'agent_hangup', calls: 2 },
      { end_reason: 'busy', calls: 1 },
    ],
  });
  await inZone(gateway, 'UTC');
  t.like((await gateway.admin.get(`${path}?days=2`)).body, {
    days: [
      { from: '2026-11-20T00:00:00.000+00:00', calls: 2, answered: 1 },
      { from: '2026-11-21T00:00:00.000+00:00', calls: 1, answered: 1 },
    ],
  });
});

test('a day on which clocks are changed has its 25 hours', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-02T17:00:00Z'));
  await inZone(gateway, 'America/New_York');
  await storeCall(gateway, started('2026-11-01T03:59:59Z'));
  await storeCall(gateway, started('2026-11-01T04:00:00Z'));
  await storeCall(gateway, started('2026-11-02T04:59:59Z'));
  await storeCall(gateway, started('2026-11-02T05:00:00Z'));
  t.like((await gateway.admin.get(`${path}?days=2`)).body, {
    days: [
      { from: '2026-11-01T00:00:00.000-04:00', until: '2026-11-02T00:00:00.000-05:00', calls: 2 },
      { from: '2026-11-02T00:00:00.000-05:00', calls: 1 },
    ],
  });
});

test('what rings still is not counted, what is in conversation is answered and has no end reason', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  const inProgress = { endReason: null, endedAt: null, durationSec: null } as const;
  await storeCall(gateway, { ...inProgress, status: 'ringing', answeredAt: null });
  await storeCall(gateway, { ...inProgress, status: 'active' });
  t.like((await gateway.admin.get(`${path}?days=1`)).body, {
    days: [{ calls: 1, answered: 1 }],
    end_reasons: [],
  });
});

test('the latency of turns is that of today beside yesterday', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  const today = await storeCall(gateway);
  const yesterday = await storeCall(gateway, started('2026-11-20T03:00:00Z'));
  const before = await storeCall(gateway, started('2026-11-19T03:00:00Z'));
  for (let turn = 1; turn <= 20; turn += 1)
    await storeTurn(gateway, today.id, turn, { endpointingMs: 300, firstAudioMs: turn * 10 });
  // One that answers nothing, such as the greeting.
  await storeTurn(gateway, today.id, 21, { firstAudioMs: 9_000 });
  await storeTurn(gateway, yesterday.id, 1, { endpointingMs: 500, firstAudioMs: 700 });
  await storeTurn(gateway, before.id, 1, { endpointingMs: 5_000, firstAudioMs: 7_000 });
  t.like((await gateway.admin.get(path)).body, {
    latency: {
      today: { p50: 400, p95: 490, turns: 20 },
      yesterday: { p50: 1_200, p95: 1_200, turns: 1 },
    },
  });
});

test('what fails is named: agents by number and direction, trunks, webhooks', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  const second = await addNumber(gateway);
  const failed = { status: 'failed', endReason: 'agent_error' } as const;
  await storeCall(gateway, failed);
  await storeCall(gateway, { ...failed, trunkId: 'configured', trunkName: 'GW_TRUNK' });
  await storeCall(gateway);
  await storeCall(gateway, { ...failed, direction: 'inbound' });
  await storeCall(
    { ...gateway, number: second },
    { ...unanswered('no_agent_endpoint'), direction: 'inbound' },
  );
  await storeCall(gateway, { ...unanswered('trunk_error'), trunkId: 'configured', trunkName: 'GW_TRUNK' });
  const fine = await gateway.admin.post('/api/v1/admin/webhooks', { url: 'https://example.com/fine' });
  const broken = await gateway.admin.post('/api/v1/admin/webhooks', { url: 'https://example.com/broken' });
  await gateway.database.execute(`update webhook_endpoint set state = 'disabled' where id = $1`, [
    broken.body['id'],
  ]);
  const { body } = await gateway.admin.get(path);
  t.like(body, {
    agents: [
      {
        number: gateway.number.number,
        direction: 'outbound',
        end_reason: 'agent_error',
        calls: 4,
        failed: 2,
      },
      { number: gateway.number.number, direction: 'inbound', end_reason: 'agent_error', calls: 1, failed: 1 },
      { number: second.number, direction: 'inbound', end_reason: 'no_agent_endpoint', calls: 1, failed: 1 },
    ],
    trunks: [{ trunk_id: 'configured', name: 'GW_TRUNK', calls: 2, failed: 1 }],
    webhooks: [{ id: broken.body['id'], url: 'https://example.com/broken', state: 'disabled', dead: 0 }],
  });
  t.not(fine.body['id'], broken.body['id']);
});

test('a workspace sees its own calls alone, and a viewer may look', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  await storeCall(gateway, { id: randomUUID() });
  const viewer = await gateway.admin.post('/api/v1/admin/tokens', { name: 'looks', role: 'viewer' });
  t.like((await gateway.admin.as(String(viewer.body['token'])).get(`${path}?days=1`)).body, {
    days: [{ calls: 1 }],
  });
  const { adminToken } = await addWorkspace(gateway.database);
  t.like((await gateway.admin.as(adminToken).get(path)).body, { end_reasons: [], agents: [], trunks: [] });
  t.is((await gateway.admin.get(`${path}?days=32`)).status, 400);
});
