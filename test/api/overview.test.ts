/** The overview, the gateways and the simulator. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Simulator } from '#src/api/api-services.ts';
import type { SimulatedCallee } from '#src/domain/simulated-callee.ts';
import type { TurnLatency } from '#machines/facts.ts';
import { systemClock } from '#src/clocks.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { CallRow } from '#src/persistence/calls/calls.ts';
import { joinNodes } from '#src/persistence/nodes/nodes.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { addNumber, addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

// Overview
// The overview, compared with calls that are counted by hand.

const overviewPath = '/api/v1/admin/overview';

const at = (now: string) => ({ clock: { ...systemClock, now: () => Date.parse(now) } });

const unanswered = (endReason: CallRow['endReason']) =>
  ({ status: 'no_answer', endReason, answeredAt: null, durationSec: 0 }) satisfies Partial<CallRow>;

const started = (moment: string) => ({ startedAt: new Date(moment) });

const inZone = (gateway: FakeGateway, zone: string) =>
  gateway.admin.patch('/api/v1/admin/workspace', { time_zone: zone });

/** A reply whose audio began `endpointingMs` plus `firstAudioMs` after the words before it. */
const storeTurn = ({ database }: FakeGateway, callId: string, sequence: number, latency: TurnLatency) =>
  database.execute(
    `insert into call_fact (call_id, sequence, type, at, data) values ($1, $2, 'turn.spoken', now(), $3)`,
    [callId, sequence, { turn: sequence, latency }],
  );

test.serial('counts a call on the day of its start in the time zone of the workspace', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T03:00:00Z'));
  // In Seoul, nine hours ahead, the 21st begins at 15:00 of the 20th.
  await storeCall(gateway, started('2026-11-20T14:59:59.999Z'));
  await storeCall(gateway, { ...started('2026-11-20T15:00:00.000Z'), ...unanswered('busy') });
  await storeCall(gateway, started('2026-11-21T02:59:59.000Z'));
  await storeCall(gateway, started('2026-11-18T14:59:59.999Z'));
  t.like((await gateway.admin.get(`${overviewPath}?days=3`)).body, {
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
  t.like((await gateway.admin.get(`${overviewPath}?days=2`)).body, {
    days: [
      { from: '2026-11-20T00:00:00.000+00:00', calls: 2, answered: 1 },
      { from: '2026-11-21T00:00:00.000+00:00', calls: 1, answered: 1 },
    ],
  });
});

test.serial('counts 25 hours for a day on which clocks are set back', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-02T17:00:00Z'));
  await inZone(gateway, 'America/New_York');
  await storeCall(gateway, started('2026-11-01T03:59:59Z'));
  await storeCall(gateway, started('2026-11-01T04:00:00Z'));
  await storeCall(gateway, started('2026-11-02T04:59:59Z'));
  await storeCall(gateway, started('2026-11-02T05:00:00Z'));
  t.like((await gateway.admin.get(`${overviewPath}?days=2`)).body, {
    days: [
      { from: '2026-11-01T00:00:00.000-04:00', until: '2026-11-02T00:00:00.000-05:00', calls: 2 },
      { from: '2026-11-02T00:00:00.000-05:00', calls: 1 },
    ],
  });
});

test.serial('excludes ringing calls, and counts active ones as answered without an end reason', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  const inProgress = { endReason: null, endedAt: null, durationSec: null } as const;
  await storeCall(gateway, { ...inProgress, status: 'ringing', answeredAt: null });
  await storeCall(gateway, { ...inProgress, status: 'active' });
  t.like((await gateway.admin.get(`${overviewPath}?days=1`)).body, {
    days: [{ calls: 1, answered: 1 }],
    end_reasons: [],
  });
});

test.serial("compares today's turn latency with yesterday's", async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  const today = await storeCall(gateway);
  const yesterday = await storeCall(gateway, started('2026-11-20T03:00:00Z'));
  const before = await storeCall(gateway, started('2026-11-19T03:00:00Z'));
  for (let turn = 1; turn <= 20; turn += 1)
    await storeTurn(gateway, today.id, turn, { endpointingMs: 300, firstAudioMs: turn * 10 });
  // A reply that follows no words, such as the greeting.
  await storeTurn(gateway, today.id, 21, { firstAudioMs: 9_000 });
  await storeTurn(gateway, yesterday.id, 1, { endpointingMs: 500, firstAudioMs: 700 });
  await storeTurn(gateway, before.id, 1, { endpointingMs: 5_000, firstAudioMs: 7_000 });
  t.like((await gateway.admin.get(overviewPath)).body, {
    latency: {
      today: { p50: 400, p95: 490, turns: 20 },
      yesterday: { p50: 1_200, p95: 1_200, turns: 1 },
    },
  });
});

// Latency

const latencyPath = '/api/v1/admin/latency';

/** Parts of a wait, as the journal stores them. */
const parts = (
  endpointingMs: number,
  queuedMs: number,
  sentence: number,
  voice: number,
  agent = 'webhook',
) => ({
  agent,
  endpointingMs,
  queuedMs,
  firstTokenMs: sentence / 2,
  firstSentenceMs: sentence,
  firstAudioMs: sentence + voice,
});

test.serial('returns percentiles of waits whose parts add up to the median wait', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  const call = await storeCall(gateway, started('2026-11-21T03:00:00Z'));
  for (let turn = 1; turn <= 100; turn += 1)
    await storeTurn(gateway, call.id, turn, parts(100, 0, turn * 10, 50));
  // Turns without a wait: one that answers no speech, and one that was not heard.
  await storeTurn(gateway, call.id, 101, { firstSentenceMs: 5_000, firstAudioMs: 9_000 });
  await storeTurn(gateway, call.id, 102, { endpointingMs: 8_000 });
  const yesterday = await storeCall(gateway, started('2026-11-20T03:00:00Z'));
  await storeTurn(gateway, yesterday.id, 1, parts(60, 1, 310, 49, 'mastra'));
  const before = await storeCall(gateway, started('2026-11-19T03:00:00Z'));
  await storeTurn(gateway, before.id, 1, parts(5_000, 0, 5_000, 0));
  const { body } = await gateway.admin.get(latencyPath);
  t.like(body, {
    from: '2026-11-20T13:00:00.000+09:00',
    until: '2026-11-21T13:00:00.000+09:00',
    current: {
      turns: 100,
      calls: 1,
      wait_ms: { p50: 650, p90: 1_050, p99: 1_140 },
      endpointing_ms: { p50: 100, p90: 100, p99: 100 },
      first_token_ms: { p50: 250, p90: 450, p99: 495 },
      first_sentence_ms: { p50: 500, p90: 900, p99: 990 },
      first_audio_ms: { p50: 550, p90: 950, p99: 1_040 },
      share: { wait_ms: 650, endpointing_ms: 100, gateway_ms: 0, agent_ms: 500, voice_ms: 50 },
    },
    before: {
      turns: 1,
      wait_ms: { p50: 420, p90: 420, p99: 420 },
      share: { wait_ms: 420, endpointing_ms: 60, gateway_ms: 1, agent_ms: 310, voice_ms: 49 },
    },
  });
  t.like((await gateway.admin.get(`${latencyPath}?period=week`)).body, {
    current: { turns: 102, calls: 3 },
    before: null,
    agents: [
      { agent: 'webhook', latency: { turns: 101, calls: 2 } },
      { agent: 'mastra', latency: { turns: 1, wait_ms: { p50: 420 } } },
    ],
  });
  t.like((await gateway.admin.get(`/api/v1/admin/calls/${yesterday.id}`)).body, {
    latency: { turns: 1, calls: 1, wait_ms: { p50: 420 } },
  });
});

test.serial('returns the latency of one number, and of a call only with a measured turn', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  const second = await addNumber(gateway);
  const call = await storeCall(gateway, started('2026-11-21T03:00:00Z'));
  await storeTurn(gateway, call.id, 1, parts(100, 0, 100, 0));
  const silent = await storeCall({ ...gateway, number: second }, started('2026-11-21T03:00:00Z'));
  const of = async (numberId: string) => gateway.admin.get(`${latencyPath}?number_id=${numberId}`);
  t.like((await of(gateway.number.id)).body, { current: { turns: 1, wait_ms: { p50: 200 } }, before: null });
  t.like((await of(second.id)).body, { current: null, before: null, agents: [] });
  t.is((await of(randomUUID())).status, 404);
  t.false('latency' in (await gateway.admin.get(`/api/v1/admin/calls/${silent.id}`)).body);
});

test.serial('names failing agents by number and direction, trunks and webhooks', async (t) => {
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
  const { body } = await gateway.admin.get(overviewPath);
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

test.serial('shows only calls of the workspace, to viewers as well', async (t) => {
  const gateway = await fakeGateway(t, at('2026-11-21T04:00:00Z'));
  await storeCall(gateway, { id: randomUUID() });
  const viewer = await gateway.admin.post('/api/v1/admin/tokens', { name: 'looks', role: 'viewer' });
  t.like((await gateway.admin.as(String(viewer.body['token'])).get(`${overviewPath}?days=1`)).body, {
    days: [{ calls: 1 }],
  });
  const { adminToken } = await addWorkspace(gateway.database);
  t.like((await gateway.admin.as(adminToken).get(overviewPath)).body, {
    end_reasons: [],
    agents: [],
    trunks: [],
  });
  t.is((await gateway.admin.get(`${overviewPath}?days=32`)).status, 400);
});

// Gateways

const gatewaysPath = '/api/v1/admin/gateways';

test.serial('lists the gateways with only the calls of the workspace', async (t) => {
  const { admin, database, workspaceId, number } = await fakeGateway(t);
  const stored = { workspaceId, numberId: number.id, number: number.number };
  for (const name of ['test', 'other', 'lost'])
    await joinNodes(database, {
      name,
      instance: randomUUID(),
      address: 'http://10.0.0.5:8080',
      takes: name === 'other' ? { lines: 'simulator', form: 1 } : null,
    });
  await database.execute("update node set lost_at = now() where name = 'lost'");
  const load = JSON.stringify({ utilization: 0.5, memory: 0.25, delayMs: 2 });
  await database.execute("update node set version = '0.1.0', load = $1", [load]);
  await storedCall(database, stored);
  const takenOver = await storedCall(database, stored, { node: 'other' });
  await database.execute(`update call set status = 'active', epoch = 2 where id = '${takenOver}'`);
  await storedCall(database, await storedNumber(database), { node: 'other' });

  const { status, body } = await admin.get(gatewaysPath);
  t.is(status, 200);
  t.like(body, {
    gateways: [
      { name: 'lost', state: 'lost', calls: { ringing: 0, active: 0, taken_over: 0 }, is_current: false },
      { name: 'other', state: 'silent', takes_calls: true, calls: { ringing: 0, active: 1, taken_over: 1 } },
      { name: 'test', takes_calls: false, calls: { ringing: 1, active: 0, taken_over: 0 }, is_current: true },
    ],
  });
  // The load is outdated for gateways that do not run.
  t.like(body, {
    gateways: [
      { version: '0.1.0', load: null },
      { version: '0.1.0', load: null },
      { version: '0.0.0', load: { utilization: 0.25, memory: 0.5, delay_ms: 3 } },
    ],
  });
  t.notRegex(JSON.stringify(body), /10\.0\.0\.5/, 'where they are is nobody’s business');
});

test.serial('returns the gateway of the request, with its parts', async (t) => {
  const simulated = await fakeGateway(t, { simulator: simulator() });
  t.deepEqual((await simulated.admin.get(`${gatewaysPath}/current`)).body, {
    name: 'test',
    version: '0.0.0',
    is_simulated: true,
    has_inspector: true,
  });
  const { admin } = await fakeGateway(t);
  t.like((await admin.get(`${gatewaysPath}/current`)).body, { is_simulated: false });
});

test.serial('rejects number keys and requests without a key', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.get(gatewaysPath)).status, 401);
  t.is((await client.as('').get(gatewaysPath)).status, 401);
});

// Simulator

const simulator = (overrides: Partial<Simulator> = {}): Simulator => {
  const callees = new Map<string, SimulatedCallee>();
  return {
    checkScript: async (script) =>
      script.flatMap((step, index) =>
        typeof step === 'object' ? [] : [{ step: index, message: 'This is no step.' }],
      ),
    async receiveSimulatedCall() {
      return { callId: randomUUID(), status: 'ringing', endReason: null };
    },
    async defineCallee(workspaceId, number, defined) {
      callees.set(`${workspaceId} ${number}`, defined);
    },
    findCallee: async (workspaceId, number) => callees.get(`${workspaceId} ${number}`),
    listCallees: async (workspaceId) =>
      [...callees].flatMap(([key, { script: steps }]) => {
        const [owner, number = ''] = key.split(' ');
        return owner === workspaceId ? [{ number, behaviour: 'script' as const, steps: steps.length }] : [];
      }),
    deleteCallee: async (workspaceId, number) => callees.delete(`${workspaceId} ${number}`),
    scriptProgress: async () => undefined,
    ...overrides,
  };
};

const calls = '/api/v1/admin/simulator/calls';
const callees = '/api/v1/admin/simulator/callees';
const callee = `${callees}/010-1111-2222`;
const script = [{ say: 'Hello.' }, { hang_up: true }];

test.serial('simulates an inbound call with a script or with a polite caller', async (t) => {
  const asked: unknown[] = [];
  const callId = randomUUID();
  const { admin, workspaceId, number } = await fakeGateway(t, {
    simulator: simulator({
      async receiveSimulatedCall(request) {
        asked.push(request);
        return { callId, status: 'ringing', endReason: null };
      },
    }),
  });
  const { status, body } = await admin.post(calls, { to: number.number, from: '010-1234-5678', script });
  t.is(status, 201);
  t.deepEqual(body, { call_id: callId, status: 'ringing', end_reason: null });
  t.is((await admin.post(calls, { to: number.number, from: '' })).status, 201);
  t.deepEqual(asked, [
    { workspaceId, to: number.number, from: '01012345678', script },
    { workspaceId, to: number.number, from: 'anonymous', script: null },
  ]);
});

const calling = test.macro<[string, string | undefined]>({
  async exec(t, from, told) {
    const asked: string[] = [];
    const { admin, number } = await fakeGateway(t, {
      simulator: simulator({
        async receiveSimulatedCall(request) {
          asked.push(request.from);
          return { callId: randomUUID(), status: 'ringing', endReason: null };
        },
      }),
    });
    const { status, body } = await admin.post(calls, { to: number.number, from });
    t.is(status, told === undefined ? 400 : 201);
    t.deepEqual(asked, told === undefined ? [] : [told]);
    if (told === undefined) t.like(body, { code: 'invalid_request', errors: { 0: { path: 'from' } } });
  },
  title: (_, from, told) =>
    `a simulated call from "${from}" ${told === undefined ? 'is rejected' : `comes from ${told}`}`,
});
test.serial(calling, '010-1234-5678', '01012345678');
test.serial(calling, '', 'anonymous');
test.serial(calling, 'anonymous', 'anonymous');
test.serial(calling, '+1 202 555 0123', '+12025550123');
test.serial(calling, '+82 10 1234 5678', '01012345678');
test.serial(calling, '+1', undefined);
test.serial(calling, '12025550123', undefined);
test.serial(calling, 'alice', undefined);

test.serial('ends a simulated call that the gateway rejects', async (t) => {
  const { admin } = await fakeGateway(t, {
    simulator: simulator({
      receiveSimulatedCall: async () => ({
        callId: randomUUID(),
        status: 'failed',
        endReason: 'caller_rejected',
      }),
    }),
  });
  const { body } = await admin.post(calls, { to: '0212345678', from: '01012345678' });
  t.like(body, { status: 'failed', end_reason: 'caller_rejected' });
});

test.serial('rejects a simulated call to an unknown number', async (t) => {
  const { admin } = await fakeGateway(t, {
    simulator: simulator({
      receiveSimulatedCall: () => Promise.reject(new Refusal('number_not_found', 'There is no such number.')),
    }),
  });
  const { status, body } = await admin.post(calls, { to: '0212345678', from: '01012345678' });
  t.is(status, 404);
  t.is(body.code, 'number_not_found');
});

test.serial('sets and returns the behaviour of a callee', async (t) => {
  const { admin } = await fakeGateway(t, { simulator: simulator() });
  t.is((await admin.get(callee)).status, 404);
  const { status, body } = await admin.put(callee, { script });
  t.is(status, 200);
  t.deepEqual(body, { number: '01011112222', script });
  t.deepEqual((await admin.get(callee)).body, body);
});

test.serial('lists the callees that can be called, with their behaviour in words', async (t) => {
  const { admin, client } = await fakeGateway(t, {
    simulator: simulator({
      listCallees: async () => [
        { number: '01000000001', behaviour: 'polite', steps: null },
        { number: '01011112222', behaviour: 'script', steps: 2 },
        { number: '5555550123', behaviour: 'busy', steps: null },
      ],
    }),
  });
  const { status, body } = await admin.get(callees);
  t.is(status, 200);
  t.deepEqual(body, {
    callees: [
      {
        number: '01000000001',
        behaviour: 'polite',
        description: 'Answers after a second, talks politely, and lets the agent end the call.',
        steps: null,
      },
      { number: '01011112222', behaviour: 'script', description: 'Follows its script.', steps: 2 },
    ],
  });
  const { body: viewer } = await admin.post('/api/v1/admin/tokens', { name: 'looks', role: 'viewer' });
  t.deepEqual((await admin.as(String(viewer['token'])).get(callees)).body, body);
  t.is((await client.get(callees)).status, 401);
});

test.serial('deletes the behaviour of a callee', async (t) => {
  const { admin } = await fakeGateway(t, { simulator: simulator() });
  t.is((await admin.delete(callee)).status, 404);
  await admin.put(callee, { script });
  t.is((await admin.delete(callee)).status, 204);
  t.is((await admin.get(callee)).status, 404);
});

test.serial('rejects an invalid script and names the invalid step', async (t) => {
  const { admin, number } = await fakeGateway(t, { simulator: simulator() });
  for (const answer of [
    await admin.put(callee, { script: [{ say: 'Hello.' }, 5] }),
    await admin.post(calls, { to: number.number, from: '01012345678', script: [{ say: 'Hello.' }, 5] }),
  ]) {
    t.is(answer.status, 400);
    t.like(answer.body, {
      code: 'invalid_request',
      errors: [{ path: 'script.1', message: 'This is no step.' }],
    });
  }
  t.is((await admin.get(callee)).status, 404);
});

test.serial('rejects an invalid field by name', async (t) => {
  const { admin } = await fakeGateway(t, { simulator: simulator() });
  const to = '0212345678';
  const from = '01012345678';
  const faults: [Record<string, unknown>, string][] = [
    [{ from }, 'to'],
    [{ to }, 'from'],
    [{ to: '+82212345678', from }, 'to'],
    [{ to, from: 'x' }, 'from'],
    [{ to, from, script: 'x' }, 'script'],
    [{ to, from, more: 1 }, 'more'],
  ];
  for (const [body, field] of faults) {
    const answer = await admin.post(calls, body);
    t.is(answer.status, 400, field);
    t.like(answer.body, { errors: [{ path: field }] });
  }
});

test.serial('responds with 404 if the gateway has no simulated line', async (t) => {
  const { admin } = await fakeGateway(t);
  for (const { status, body } of [
    await admin.post(calls, { to: '0212345678', from: '01012345678' }),
    await admin.put(callee, { script }),
    await admin.get(callee),
    await admin.get(callees),
  ]) {
    t.is(status, 404);
    t.is(body.code, 'not_found');
  }
});

test.serial('hides the callees of a workspace from other workspaces', async (t) => {
  const gateway = await fakeGateway(t, { simulator: simulator() });
  const { adminToken } = await addWorkspace(gateway.database);
  t.is((await gateway.admin.put(callee, { script })).status, 200);
  t.is((await gateway.client.as(adminToken).get(callee)).status, 404);
  t.deepEqual((await gateway.client.as(adminToken).get(callees)).body, { callees: [] });
  t.like((await gateway.admin.get(callees)).body, { callees: [{ number: '01011112222', steps: 2 }] });
});

test.serial('shows the progress of rehearsed scripts only for calls of the workspace', async (t) => {
  const asked: unknown[] = [];
  const known = simulator({
    async receiveSimulatedCall(request) {
      asked.push(request.rehearsal);
      return { callId: randomUUID(), status: 'ringing', endReason: null };
    },
    scriptProgress: async () => ({ steps: 2, stepsDone: 1, outcome: 'timed_out', persona: null }),
  });
  const { admin, number } = await fakeGateway(t, { simulator: known });
  const rehearsal = { step_timeout_sec: 30, people: { '0212345678': 'declines' } };
  const body = { to: number.number, from: '01012345678', script, rehearsal };
  t.is((await admin.post(calls, body)).status, 201);
  t.deepEqual(asked, [{ stepTimeoutSec: 30, people: { '0212345678': 'declines' } }]);
  const wrong = { ...body, rehearsal: { step_timeout_sec: 30, people: { '0212345678': 'sleeps' } } };
  t.like(await admin.post(calls, wrong), { status: 400, body: { code: 'invalid_request' } });
  t.is((await admin.get(`${calls}/${randomUUID()}`)).status, 404);
});
