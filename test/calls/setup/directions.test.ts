/** Call setup by direction: outbound and inbound calls. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { AuthenticateCaller } from '#src/calls/call-parts.ts';
import type { HandshakeResult } from '#src/domain/agent-call.ts';
import type { DestinationKind } from '#src/domain/destinations.ts';
import { trunkDefaults } from '#src/domain/trunk.ts';
import { builtInBinding, putAgentBinding } from '#src/persistence/numbers/agent-bindings.ts';
import { facts } from '#src/persistence/calls/call-facts.ts';
import { patchNumber, putInboundAuth } from '#src/persistence/numbers/numbers.ts';
import { createTrunk } from '#src/persistence/trunks/trunks.ts';
import { patchWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { beginning, type CallControlWorld, createCallControlWorld } from '../call-control-world.ts';

// Place call

const patch = ({ database, stored }: CallControlWorld, changes: Parameters<typeof patchNumber>[2]) =>
  patchNumber(database, stored, changes);

test.serial('stores a placed call as ringing and dials it on a line, with the platform policy', async (t) => {
  const world = await createCallControlWorld(t);
  await patch(world, { transferTo: ['0212345*'] });
  const { callId, from } = await world.callControl.placeCall(await world.number(), {
    to: '01000000001',
    instruction: 'Book a table',
    maxDurationSec: null,
    keyed: null,
  });
  t.is(from, world.stored.number);
  t.like(await world.rowOf(callId), {
    status: 'ringing',
    direction: 'outbound',
    ownNumber: world.stored.number,
    counterparty: '01000000001',
    instruction: 'Book a table',
    maxDurationSec: 600,
    recordingEnabled: true,
    startedAt: new Date(beginning),
    node: 'test',
  });
  t.like(world.lineOf(callId).input, { from: world.stored.number, to: '01000000001', recording: true });
  t.like(world.agentCalls.get(callId), {
    instruction: 'Book a table',
    bearerToken: null,
    headers: {},
    transferTo: ['0212345*'],
    context: { call_id: callId, direction: 'outbound', from: world.stored.number, to: '01000000001' },
  });
});

test.serial(
  "sends custom headers on the gateway's own trunk, and rejects them for a number bound to another trunk",
  async (t) => {
    const configuredHeaders = { headersIn: ['X-Queue'], headersOut: ['X-Ticket'] };
    const world = await createCallControlWorld(t, { configuredHeaders });
    const sipHeaders = { 'x-ticket': '1042' };
    const callId = await world.place({ sipHeaders });
    t.like(await world.rowOf(callId), { sipHeaders });
    const refused = { code: 'invalid_request' } as const;
    t.like(await t.throwsAsync(world.place({ sipHeaders: { 'X-Queue': '1' } })), refused);
    const { workspaceId } = world.stored;
    const trunk = { ...trunkDefaults, id: randomUUID(), name: 'carrier', host: 'sip.example.com' };
    await createTrunk(world.database, {
      ...trunk,
      workspaceId,
      passwordSealed: null,
      createdAt: new Date(beginning),
    });
    await patch(world, { trunkId: trunk.id });
    t.like(await t.throwsAsync(world.place({ sipHeaders })), refused);
  },
);

const durations = test.macro<[number | null, number | 'refused']>({
  async exec(t, asked, expected) {
    const world = await createCallControlWorld(t);
    await patch(world, { maxDurationSec: 900, defaultDurationSec: 300 });
    if (expected === 'refused') {
      t.like(await t.throwsAsync(world.place({ maxDurationSec: asked })), {
        code: 'max_duration_exceeds_policy',
        extras: { maximum: 900 },
      });
      t.is(await world.rows(), 0);
      t.is(world.lines.size, 0);
      return;
    }
    const callId = await world.place({ maxDurationSec: asked });
    t.is((await world.rowOf(callId))?.maxDurationSec, expected);
    world.answer(callId);
    world.clock.increment(29_000);
    t.is(world.stateOf(callId), 'active.talking.conversing');
  },
  title: (_, asked, expected) =>
    `with a maximum of 900 and a default of 300 seconds, a request for ${asked ?? 'no'} seconds gets ${expected}`,
});
test.serial(durations, null, 300);
test.serial(durations, 60, 60);
test.serial(durations, 899, 899);
test.serial(durations, 900, 900);
test.serial(durations, 901, 'refused');
test.serial(durations, 1_800, 'refused');

test.serial('limits the default duration to the maximum of the number', async (t) => {
  const world = await createCallControlWorld(t);
  await patch(world, { maxDurationSec: 120 });
  t.is((await world.rowOf(await world.place()))?.maxDurationSec, 120);
});

test.serial('ends a call at its maximum duration, counted from the answer', async (t) => {
  const world = await createCallControlWorld(t);
  await patch(world, { silenceTimeoutSec: 1_000 });
  const callId = await world.place({ maxDurationSec: 60 });
  world.clock.increment(40_000);
  world.answer(callId);
  world.clock.increment(59_999);
  t.is(world.stateOf(callId), 'active.talking.conversing');
  world.clock.increment(1);
  t.is(world.stateOf(callId), 'active.ending');
  t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'hangUp' });
  world.hangUp(callId);
  world.clock.increment(5_000);
  t.like(await world.rowOf(callId), { status: 'completed', endReason: 'max_duration', durationSec: 60 });
});

test.serial('stops ringing an unanswered call after 45 seconds', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await world.place();
  world.clock.increment(44_999);
  t.is(world.stateOf(callId), 'ringing.alerting');
  world.clock.increment(1);
  t.deepEqual(world.lineOf(callId).commands, [{ type: 'hangUp' }]);
  world.confirmCancel(callId);
  t.is(world.stateOf(callId), undefined);
  t.like(await world.rowOf(callId), { status: 'no_answer', endReason: 'no_answer', durationSec: 0 });
});

test.serial('rejects an outbound call from a number without an agent', async (t) => {
  for (const [agentType, chatUrl] of [
    [null, null],
    [null, 'https://agent.example'],
    ['webhook', null],
    ['webhook', ''],
  ] as const) {
    const world = await createCallControlWorld(t);
    const binding = {
      agent: 'endpoint',
      agentType,
      chatUrl,
      assistantId: null,
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    } as const;
    await putAgentBinding(world.database, world.stored.numberId, { ...binding, direction: 'outbound' });
    await t.throwsAsync(world.place(), { code: 'no_agent_endpoint' });
    t.is(await world.rows(), 0);
    t.is(world.lines.size, 0);
  }
});

test.serial('ignores the agent binding of the other direction', async (t) => {
  const world = await createCallControlWorld(t);
  const binding = {
    agent: 'endpoint',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
  } as const;
  await putAgentBinding(world.database, world.stored.numberId, { ...binding, direction: 'inbound' });
  t.is((await world.rowOf(await world.place()))?.status, 'ringing');
});

test.serial('reports a forbidden duration before a missing agent', async (t) => {
  const world = await createCallControlWorld(t);
  await putAgentBinding(world.database, world.stored.numberId, {
    direction: 'outbound',
    agent: 'endpoint',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
  });
  await t.throwsAsync(world.place({ maxDurationSec: 1_801 }), { code: 'max_duration_exceeds_policy' });
});

test.serial('decrypts the stored token of the outbound agent for an outbound call', async (t) => {
  const world = await createCallControlWorld(t);
  const { numberId } = world.stored;
  await putAgentBinding(
    world.database,
    numberId,
    {
      direction: 'outbound',
      agent: 'endpoint',
      agentType: 'webhook',
      chatUrl: 'https://agent.example',
      assistantId: null,
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    {
      tokenSealed: world.sealing.seal('outbound-token', numberId),
      headersSealed: { 'x-api-key': world.sealing.seal('key-of-the-server', numberId) },
    },
  );
  const callId = await world.place();
  t.is(world.agentCalls.get(callId)?.bearerToken, 'outbound-token');
  t.deepEqual(world.agentCalls.get(callId)?.headers, { 'x-api-key': 'key-of-the-server' });
  t.is(world.agentCalls.get(callId)?.binding.chatUrl, 'https://agent.example');
});

const destinations = (...kinds: DestinationKind[]) => ({ kinds, allowedPrefixes: [], deniedPrefixes: [] });

test.serial(
  'rejects a forbidden destination before dialling and leaves the idempotency key unused',
  async (t) => {
    const world = await createCallControlWorld(t);
    t.like(await t.throwsAsync(world.place({ to: '0607001234' })), {
      code: 'destination_not_allowed',
      status: 403,
      extras: { reason: 'premium' },
    });
    t.like(await t.throwsAsync(world.place({ to: '+12025550123' })), { code: 'invalid_to', status: 400 });
    t.is(await world.rows(), 0);
    t.is(world.lines.size, 0);
  },
);

test.serial('permits destinations per workspace, restricted further per number', async (t) => {
  const world = await createCallControlWorld(t);
  const { workspaceId } = world.stored;
  await patchWorkspace(world.database, workspaceId, {
    destinations: destinations('premium', 'mobile', 'international', 'fixed_line'),
  });
  t.is((await world.rowOf(await world.place({ to: '0607001234' })))?.counterparty, '0607001234');
  t.is((await world.rowOf(await world.place({ to: '+12025550123' })))?.counterparty, '+12025550123');
  await patch(world, { destinations: destinations('mobile', 'voip') });
  await t.throwsAsync(world.place({ to: '0607001234' }), { code: 'destination_not_allowed' });
  await t.throwsAsync(world.place({ to: '+12025550123' }), { code: 'invalid_to' });
  t.like(await t.throwsAsync(world.place({ to: '07012345678' })), { extras: { reason: 'voip' } });
  t.is((await world.rowOf(await world.place()))?.status, 'ringing');
});

test.serial('limits a call to the remaining daily minutes and rejects it when none remain', async (t) => {
  const world = await createCallControlWorld(t);
  await patchWorkspace(world.database, world.stored.workspaceId, { dailyMinutes: 15 });
  const first = await world.place({ maxDurationSec: 600 });
  const second = await world.place({ maxDurationSec: 600 });
  t.is((await world.rowOf(second))?.maxDurationSec, 300);
  t.like(await t.throwsAsync(world.place()), {
    code: 'daily_limit_reached',
    extras: { maximum: 15, resets_at: '2026-11-22T00:00:00.000+09:00' },
  });
  t.deepEqual(world.dailyNotices, [{ owner: 'workspace', id: world.stored.workspaceId, what: 'refused' }]);
  t.is(await world.rows(), 2);

  // The call is hung up at the end of its share, and its unused time is available to the next one.
  await patch(world, { silenceTimeoutSec: 1_000 });
  world.answer(second);
  world.clock.increment(299_999);
  t.is(world.stateOf(second), 'active.talking.conversing');
  world.clock.increment(1);
  t.is(world.stateOf(second), 'active.ending');
  world.hangUp(second);
  world.confirmCancel(first);
  t.is((await world.rowOf(first))?.status, 'no_answer');
  t.is((await world.rowOf(await world.place()))?.maxDurationSec, 600);
});

test.serial('counts the daily minutes of a number without its inbound calls', async (t) => {
  const world = await createCallControlWorld(t);
  await patch(world, { dailyMinutes: 1 });
  t.is((await world.rowOf(await world.place()))?.maxDurationSec, 60);
  await t.throwsAsync(world.place(), { code: 'daily_limit_reached', message: /^This number/ });
  t.true((await world.receive()).verdict.accepted);
});

// Receive call

const agentOf = (
  { database, sealing, stored }: CallControlWorld,
  direction: 'inbound' | 'outbound',
  chatUrl: string,
) =>
  putAgentBinding(
    database,
    stored.numberId,
    {
      direction,
      agent: 'endpoint',
      agentType: 'webhook',
      chatUrl,
      assistantId: null,
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    {
      tokenSealed: direction === 'outbound' ? sealing.seal('outbound-token', stored.numberId) : undefined,
      headersSealed: { 'x-way': sealing.seal(direction, stored.numberId) },
    },
  );

/** The gateway admits callers by this handshake. */
const guard = ({ database, sealing, stored }: CallControlWorld) =>
  putInboundAuth(database, stored, {
    method: 'handshake',
    url: 'https://door.example',
    secretSealed: sealing.seal('door-secret', stored.numberId),
  });

const doorThat = (result: HandshakeResult) => {
  const asked: Parameters<AuthenticateCaller>[0][] = [];
  const handshake: AuthenticateCaller = (request) => {
    asked.push(request);
    return Promise.resolve(result);
  };
  return { asked, handshake };
};

test.serial(
  'admits a caller: stores the call as ringing, answers the line and swaps caller and callee',
  async (t) => {
    const world = await createCallControlWorld(t);
    const { callId, verdict } = await world.receive();
    t.deepEqual(verdict, { accepted: true });
    t.like(await world.rowOf(callId), {
      status: 'ringing',
      direction: 'inbound',
      ownNumber: world.stored.number,
      counterparty: '01012345678',
      instruction: null,
      maxDurationSec: 600,
      startedAt: new Date(beginning),
    });
    t.like(world.lineOf(callId).input, {
      direction: 'inbound',
      from: '01012345678',
      to: world.stored.number,
    });
    world.answer(callId);
    t.like(await world.rowOf(callId), { status: 'active' });
  },
);

for (const from of ['anonymous', '+12025550123', '204'])
  test.serial(`passes the caller "${from}" to the agent and stores it`, async (t) => {
    const world = await createCallControlWorld(t);
    const { callId } = await world.receive({ from });
    t.is((await world.rowOf(callId))?.counterparty, from);
    t.is(world.agentCalls.get(callId)?.context.from, from);
  });

test.serial('rejects a call to an unknown number and stores nothing', async (t) => {
  const world = await createCallControlWorld(t);
  const { callId, verdict } = await world.receive({ to: '0299999999' });
  t.deepEqual(verdict, { accepted: false, because: 'unknown_number' });
  t.is(await world.rowOf(callId), undefined);
  t.is(world.lines.size, 0);
});

test.serial('rejects callers if the number has no inbound agent, even with an outbound agent', async (t) => {
  const world = await createCallControlWorld(t);
  await agentOf(world, 'outbound', 'https://agent.example');
  await agentOf(world, 'inbound', '');
  const { callId, verdict } = await world.receive();
  t.deepEqual(verdict, { accepted: false, because: 'no_agent_endpoint' });
  t.like(await world.rowOf(callId), { status: 'failed', endReason: 'no_agent_endpoint', durationSec: 0 });
  t.like(await facts(world.database, callId), [{ sequence: 1, type: 'call.ended' }]);
  t.deepEqual(world.ends, [`${callId} failed no_agent_endpoint`]);
  t.is(world.lines.size, 0);
});

test.serial(
  'sends no token to an inbound agent without a handshake, not even the outbound token',
  async (t) => {
    const world = await createCallControlWorld(t);
    await agentOf(world, 'outbound', 'https://outbound.example');
    await agentOf(world, 'inbound', 'https://inbound.example');
    const { callId } = await world.receive();
    t.is(world.agentCalls.get(callId)?.bearerToken, null);
    t.is(world.agentCalls.get(callId)?.binding.chatUrl, 'https://inbound.example');
  },
);

test.serial('uses the session token of a handshake for its call only', async (t) => {
  const door = doorThat({ allowed: true, sessionToken: 'session-of-this-caller' });
  const world = await createCallControlWorld(t, { handshake: door.handshake });
  await agentOf(world, 'outbound', 'https://outbound.example');
  await guard(world);
  const { callId, verdict } = await world.receive();
  t.deepEqual(verdict, { accepted: true });
  t.is(world.agentCalls.get(callId)?.bearerToken, 'session-of-this-caller');
  t.deepEqual(door.asked, [
    {
      url: 'https://door.example',
      secret: 'door-secret',
      workspaceId: world.stored.workspaceId,
      context: {
        call_id: callId,
        direction: 'inbound',
        from: '01012345678',
        to: world.stored.number,
        language: 'ko',
      },
    },
  ]);
});

const agentOfSuite = (direction: 'inbound' | 'outbound') => ({
  ...builtInBinding(direction),
  agent: 'endpoint' as const,
  agentType: 'webhook' as const,
  chatUrl: 'https://suite.example',
});

test.serial(
  'gives one call the agent of a suite, without the secrets of the agent of the number, which stays bound',
  async (t) => {
    const door = doorThat({ allowed: true, sessionToken: 'session-of-this-caller' });
    const world = await createCallControlWorld(t, { handshake: door.handshake });
    await agentOf(world, 'outbound', 'https://outbound.example');
    await agentOf(world, 'inbound', 'https://inbound.example');
    await guard(world);
    const { callId: inbound, verdict } = await world.receive({ agent: agentOfSuite('inbound') });
    const outbound = await world.place({ agent: agentOfSuite('outbound') });
    t.deepEqual(verdict, { accepted: true });
    for (const callId of [inbound, outbound]) {
      t.like(world.agentCalls.get(callId), {
        binding: { chatUrl: 'https://suite.example' },
        bearerToken: null,
      });
      t.deepEqual(world.agentCalls.get(callId)?.headers, {});
    }
    t.is(world.agentCalls.get(inbound)?.binding.direction, 'inbound');
    t.is(door.asked.length, 1, 'the handshake decides about the caller of a suite, too');
    const { callId: next } = await world.receive();
    t.is(world.agentCalls.get(next)?.binding.chatUrl, 'https://inbound.example');
    t.like(world.agentCalls.get(await world.place()), {
      binding: { chatUrl: 'https://outbound.example' },
      headers: { 'x-way': 'outbound' },
    });
  },
);

test.serial(
  'rejects a caller that the handshake rejects, and stores the facts of an ended call',
  async (t) => {
    const door = doorThat({ allowed: false, reason: 'It answered 403.' });
    const world = await createCallControlWorld(t, { handshake: door.handshake });
    await guard(world);
    const { callId, verdict } = await world.receive();
    t.deepEqual(verdict, { accepted: false, because: 'caller_rejected' });
    t.like(await world.rowOf(callId), {
      status: 'failed',
      endReason: 'caller_rejected',
      durationSec: 0,
      answeredAt: null,
      endedAt: new Date(beginning),
    });
    const [fact, ...more] = await facts(world.database, callId);
    t.like(fact, { type: 'call.ended', data: { reason: 'caller_rejected', status: 'failed' } });
    t.deepEqual(more, []);
    t.is(world.lines.size, 0);
  },
);

test.serial('skips the handshake for a caller that is rejected anyway', async (t) => {
  const door = doorThat({ allowed: true, sessionToken: 'unused' });
  const world = await createCallControlWorld(t, { handshake: door.handshake });
  await guard(world);
  await agentOf(world, 'inbound', '');
  t.like(await world.receive(), { verdict: { because: 'no_agent_endpoint' } });
  t.deepEqual(door.asked, []);
});

test.serial('rejects callers on a full or draining gateway without storing a row', async (t) => {
  const full = await createCallControlWorld(t, { admission: { maxCalls: 0, maxBeginning: 100 } });
  const refused = await full.receive();
  t.deepEqual(refused.verdict, { accepted: false, because: 'over_capacity' });
  t.is(await full.rowOf(refused.callId), undefined);

  const draining = await createCallControlWorld(t);
  draining.callControl.admission.drain();
  t.deepEqual((await draining.receive()).verdict, { accepted: false, because: 'draining' });
  t.is(await draining.rows(), 0);
});

test.serial('rejects a caller as busy when the number is at its maximum of calls', async (t) => {
  const world = await createCallControlWorld(t, { maxCallsInProgress: 1 });
  t.like(await world.receive(), { verdict: { accepted: true } });
  t.like(await world.receive(), { verdict: { accepted: false, because: 'concurrency_limit' } });
  t.is(await world.rows(), 1);
});

test.serial('does not treat an internal error as a rejected call', async (t) => {
  const world = await createCallControlWorld(t, {
    keepAgent: () => {
      throw new Error('A mistake of ours');
    },
  });
  await t.throwsAsync(world.receive(), { message: 'A mistake of ours' });
});

const arrival = { callId: crypto.randomUUID(), from: '01012345678', to: '07000000001', at: Date.now() };

const withoutRoom = test.macro({
  title: (_title, code: 'over_capacity' | 'draining') =>
    `skips the look-up for an arrival rejected with ${code}`,
  async exec(t, code: 'over_capacity' | 'draining') {
    const database = await testDatabase();
    const world = await createCallControlWorld(t, {
      database: {
        ...database,
        ...scriptedStatements(() => Promise.reject(new Error('It was looked up anyway'))),
      },
      ...(code === 'over_capacity' ? { admission: { maxCalls: 0, maxBeginning: 100 } } : {}),
    });
    if (code === 'draining') world.callControl.admission.drain();
    world.bus.subscribe('began', () => t.fail());
    world.bus.subscribe('stored', () => t.fail());
    t.deepEqual(await world.callControl.receiveCall(arrival), { accepted: false, because: code });
  },
});

test.serial(withoutRoom, 'over_capacity');
test.serial(withoutRoom, 'draining');

test.serial("stores the network's details about the caller, also for a rejected call", async (t) => {
  const world = await createCallControlWorld(t);
  const diversions = [{ number: '0212345678', reason: 'no-answer' }];
  const { callId } = await world.receive({ identity: { name: '김민지', diversions } });
  t.like(await world.rowOf(callId), { callerName: '김민지', diversions });
  const plain = await world.receive({ identity: { name: null, diversions: [] } });
  t.like(await world.rowOf(plain.callId), { callerName: null, diversions: null });
  const binding = {
    agent: 'endpoint',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
  } as const;
  await putAgentBinding(world.database, world.stored.numberId, { ...binding, direction: 'inbound' });
  const refused = await world.receive({ identity: { name: 'Kim', diversions } });
  t.like(await world.rowOf(refused.callId), {
    endReason: 'no_agent_endpoint',
    callerName: 'Kim',
    diversions,
  });
});
