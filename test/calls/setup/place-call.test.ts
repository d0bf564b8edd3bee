import test from 'ava';
import { putAgentBinding } from '#src/persistence/agent-bindings.ts';
import type { DestinationKind } from '#src/domain/destinations.ts';
import { patchNumber } from '#src/persistence/numbers.ts';
import { patchWorkspace } from '#src/persistence/workspaces.ts';
import { beginning, createCallControlWorld, type CallControlWorld } from '../call-control-world.ts';

const patch = ({ database, stored }: CallControlWorld, changes: Parameters<typeof patchNumber>[2]) =>
  patchNumber(database, stored, changes);

test('a call that is placed rings, by its row and on its line, with the policy of the platform', async (t) => {
  const world = await createCallControlWorld(t);
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
    context: { call_id: callId, direction: 'outbound', from: world.stored.number, to: '01000000001' },
  });
});

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
    `of at most 900 and usually 300 seconds, ${asked ?? 'no'} seconds asked for are ${expected}`,
});
test(durations, null, 300);
test(durations, 60, 60);
test(durations, 899, 899);
test(durations, 900, 900);
test(durations, 901, 'refused');
test(durations, 1_800, 'refused');

test('the usual duration never exceeds the maximum of the number', async (t) => {
  const world = await createCallControlWorld(t);
  await patch(world, { maxDurationSec: 120 });
  t.is((await world.rowOf(await world.place()))?.maxDurationSec, 120);
});

test('a call ends when its maximum duration is over, counted from the answer', async (t) => {
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

test('a telephone that nobody picks up rings for 45 seconds', async (t) => {
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

test('a number without an agent places no call', async (t) => {
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
    } as const;
    await putAgentBinding(world.database, world.stored.numberId, { ...binding, direction: 'outbound' });
    await t.throwsAsync(world.place(), { code: 'no_agent_endpoint' });
    t.is(await world.rows(), 0);
    t.is(world.lines.size, 0);
  }
});

test('the binding of the other direction does not matter', async (t) => {
  const world = await createCallControlWorld(t);
  const binding = {
    agent: 'endpoint',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
  } as const;
  await putAgentBinding(world.database, world.stored.numberId, { ...binding, direction: 'inbound' });
  t.is((await world.rowOf(await world.place()))?.status, 'ringing');
});

test('a duration that the policy forbids is told before an agent that is missing', async (t) => {
  const world = await createCallControlWorld(t);
  await putAgentBinding(world.database, world.stored.numberId, {
    direction: 'outbound',
    agent: 'endpoint',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
  });
  await t.throwsAsync(world.place({ maxDurationSec: 1_801 }), { code: 'max_duration_exceeds_policy' });
});

test('the token that is stored with the outbound agent is opened for its calls', async (t) => {
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
    },
    world.sealing.seal('outbound-token', numberId),
  );
  const callId = await world.place();
  t.is(world.agentCalls.get(callId)?.bearerToken, 'outbound-token');
  t.is(world.agentCalls.get(callId)?.binding.chatUrl, 'https://agent.example');
});

const destinations = (...kinds: DestinationKind[]) => ({ kinds, allowedPrefixes: [], deniedPrefixes: [] });

test('a destination that is not allowed is refused before anything is dialled, and the key stays free', async (t) => {
  const world = await createCallControlWorld(t);
  t.like(await t.throwsAsync(world.place({ to: '0607001234' })), {
    code: 'destination_not_allowed',
    status: 403,
    extras: { reason: 'premium' },
  });
  t.like(await t.throwsAsync(world.place({ to: '+12025550123' })), { code: 'invalid_to', status: 400 });
  t.is(await world.rows(), 0);
  t.is(world.lines.size, 0);
});

test('a workspace opens destinations, and its numbers close them', async (t) => {
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

test('a call lasts no longer than what is left of the day, and none is placed when nothing is', async (t) => {
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

  // It is hung up when its share is over, and what was not talked is given to the next.
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

test('a number has minutes of its own; who calls it takes none', async (t) => {
  const world = await createCallControlWorld(t);
  await patch(world, { dailyMinutes: 1 });
  t.is((await world.rowOf(await world.place()))?.maxDurationSec, 60);
  await t.throwsAsync(world.place(), { code: 'daily_limit_reached', message: /^This number/ });
  t.true((await world.receive()).verdict.accepted);
});
