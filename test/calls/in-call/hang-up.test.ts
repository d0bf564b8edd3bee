import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { AskNode } from '#src/calls/in-call/in-call-requests.ts';
import type { InCallRequest } from '#src/domain/in-call-request.ts';
import { steadyClock } from '#src/clocks.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { facts } from '#src/persistence/call-facts.ts';
import { storedCall } from '#test/helpers/stored-number.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { createCallControlWorld, type CallControlWorld } from '../call-control-world.ts';

const talking = async (world: CallControlWorld): Promise<string> => {
  const callId = await world.place();
  world.answer(callId);
  return callId;
};

const hangUp = (world: CallControlWorld, callId: string, immediate = false) =>
  world.callControl.requestHangup({ ...world.mine(callId), immediate });

const typesOf = async (world: CallControlWorld, callId: string): Promise<string[]> => {
  await world.journal.settled();
  return (await facts(world.database, callId)).map(({ type }) => type);
};

/** A call by its row alone, as another gateway, or a dead process, left it. */
const rowAlone = async (
  { database, stored }: CallControlWorld,
  status: string,
  node: string,
): Promise<string> => {
  const callId = await storedCall(database, stored, { node });
  await database.execute('update call set status = $2 where id = $1', [callId, status]);
  return callId;
};

test('a hangup waits for the agent, who has nothing to say here, and is the agent’s', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  await hangUp(world, callId);
  t.is(world.stateOf(callId), 'active.talking.hangup-pending');
  t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'expectHangup' });
  t.deepEqual(await typesOf(world, callId), ['call.answered', 'call.hangup_requested']);
  world.clock.increment(29_999);
  t.is(world.stateOf(callId), 'active.talking.hangup-pending');
  world.clock.increment(1);
  t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'hangUp' });
  world.hangUp(callId);
  world.clock.increment(5_000);
  t.like(await world.rowOf(callId), { status: 'completed', endReason: 'agent_hangup' });
});

test('an immediate hangup waits for nobody, also after one that waits', async (t) => {
  const world = await createCallControlWorld(t);
  const [first, second] = [await talking(world), await talking(world)];
  await hangUp(world, first, true);
  await hangUp(world, second);
  await hangUp(world, second);
  t.is(world.stateOf(second), 'active.talking.hangup-pending');
  await hangUp(world, second, true);
  for (const callId of [first, second]) {
    t.is(world.stateOf(callId), 'active.ending');
    t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'hangUp' });
  }
});

test('real speech of the other party cancels a hangup, which may be asked for again', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  await hangUp(world, callId);
  world.lineOf(callId).tell({ type: 'line.speech', at: 1 });
  t.is(world.stateOf(callId), 'active.talking.conversing');
  t.is((await typesOf(world, callId)).at(-1), 'call.hangup_cancelled');
  await hangUp(world, callId);
  t.is(world.stateOf(callId), 'active.talking.hangup-pending');
});

test('a call that rings is not active, wherever it is held', async (t) => {
  const world = await createCallControlWorld(t);
  for (const callId of [await world.place(), await rowAlone(world, 'ringing', 'another')])
    for (const immediate of [false, true])
      await t.throwsAsync(hangUp(world, callId, immediate), { code: 'call_not_active' });
  t.is(world.liveCalls.count(), 1);
});

test('a call that is over is not active', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  world.hangUp(callId);
  world.clock.increment(5_000);
  await world.journal.settled();
  await t.throwsAsync(hangUp(world, callId), { code: 'call_not_active' });
  for (const status of ['completed', 'no_answer', 'failed'])
    await t.throwsAsync(hangUp(world, await rowAlone(world, status, 'another')), { code: 'call_not_active' });
});

test('a call of another number, or none, does not exist', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  const elsewhere = await createCallControlWorld(t);
  for (const foreign of [
    { callId, numberId: elsewhere.stored.numberId },
    world.mine(randomUUID()),
    elsewhere.mine(callId),
  ]) {
    await t.throwsAsync(world.callControl.requestHangup({ ...foreign, immediate: true }), {
      code: 'call_not_found',
    });
    await t.throwsAsync(world.callControl.requestCancel(foreign), { code: 'call_not_found' });
  }
  t.is(world.stateOf(callId), 'active.talking.conversing');
});

test('an active call that should be held here and is not has no room', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await rowAlone(world, 'active', 'test');
  await t.throwsAsync(hangUp(world, callId), { code: 'room_unknown' });
  await t.throwsAsync(world.callControl.requestCancel(world.mine(callId)), { code: 'call_not_active' });
});

test('a signal that cannot be delivered now is a hangup that failed, and the call goes on', async (t) => {
  let canSignal = false;
  const world = await createCallControlWorld(t, { canSignal: () => canSignal });
  const [active, ringing] = [await talking(world), await world.place()];
  for (const immediate of [false, true])
    await t.throwsAsync(hangUp(world, active, immediate), { code: 'hangup_failed' });
  await t.throwsAsync(world.callControl.requestCancel(world.mine(ringing)), { code: 'hangup_failed' });
  t.is(world.stateOf(active), 'active.talking.conversing');
  t.is(world.stateOf(ringing), 'ringing.alerting');
  t.deepEqual(await typesOf(world, active), ['call.answered']);
  // What is not active is told first: a retry would be pointless.
  await t.throwsAsync(hangUp(world, ringing), { code: 'call_not_active' });
  canSignal = true;
  await hangUp(world, active);
  t.is(world.stateOf(active), 'active.talking.hangup-pending');
});

test('a gateway without lines hangs up no calls, and says so of those that are active alone', async (t) => {
  const world = await createCallControlWorld(t, { hasLines: false });
  const active = await rowAlone(world, 'active', 'another');
  await t.throwsAsync(hangUp(world, active), { code: 'hangup_unavailable' });
  await t.throwsAsync(hangUp(world, await rowAlone(world, 'completed', 'another')), {
    code: 'call_not_active',
  });
  await t.throwsAsync(hangUp(world, randomUUID()), { code: 'call_not_found' });
  await t.throwsAsync(
    world.callControl.requestCancel(world.mine(await rowAlone(world, 'ringing', 'another'))),
    {
      code: 'hangup_unavailable',
    },
  );
});

const elsewhere = test.macro<[Error | null, string | null]>({
  async exec(t, answer, code) {
    const asked: [string, InCallRequest][] = [];
    const askNode: AskNode = (node, signal) => {
      asked.push([node, signal]);
      return answer === null ? Promise.resolve() : Promise.reject(answer);
    };
    const world = await createCallControlWorld(t, { askNode });
    const callId = await rowAlone(world, 'active', 'another');
    if (code === null) await t.notThrowsAsync(hangUp(world, callId, true));
    else await t.throwsAsync(hangUp(world, callId, true), { code });
    t.is(asked.length, 1);
    t.like(asked[0]?.[1], { ...world.mine(callId), action: 'hangup_immediately' });
    t.is(asked[0]?.[0], 'another');
  },
  title: (_, answer, code) =>
    `the gateway that holds a call is asked; ${answer === null ? 'it agrees' : `"${answer.message}"`}: ${code ?? 'accepted'}`,
});
test(elsewhere, null, null);
test(elsewhere, new Error('It does not answer'), 'hangup_failed');
test(elsewhere, new Refusal('room_unknown', 'It is not here.'), 'room_unknown');
test(elsewhere, new Refusal('call_not_active', 'It is over.'), 'call_not_active');

const moving = test.macro<[Error]>({
  async exec(t, answer) {
    const asked: string[] = [];
    const world = await createCallControlWorld(t, {
      underway: { forMs: 60_000, lookMs: 100 },
      clock: steadyClock,
      askNode: async (node) => {
        asked.push(node);
        if (node !== 'leaving') return;
        // It is taken while the one that has let go of it is asked.
        await world.database.execute(`update call set node = 'taking' where id = $1`, [callId]);
        throw answer;
      },
    });
    const callId = await rowAlone(world, 'active', 'leaving');
    await hangUp(world, callId);
    t.deepEqual(asked, ['leaving', 'taking']);
  },
  title: (_, answer) => `a call that goes to another gateway just now is hung up there: "${answer.message}"`,
});
test(moving, new Refusal('room_unknown', 'It is not here.'));
test(moving, new Error('It has ended'));

test('another gateway that asks for a call of ours gets what we would get', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  await t.throwsAsync(world.callControl.performHere({ ...world.mine(randomUUID()), action: 'hangup' }), {
    code: 'room_unknown',
  });
  await t.throwsAsync(world.callControl.performHere({ callId, numberId: randomUUID(), action: 'hangup' }), {
    code: 'room_unknown',
  });
  await t.throwsAsync(world.callControl.performHere({ ...world.mine(callId), action: 'cancel' }), {
    code: 'call_not_active',
  });
  await world.callControl.performHere({ ...world.mine(callId), action: 'hangup' });
  t.is(world.stateOf(callId), 'active.talking.hangup-pending');
});

test('a call that is held here is hung up without the database', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  const away = await createCallControlWorld(t, {
    database: {
      ...world.database,
      ...scriptedStatements(() => Promise.reject(new Error('The database is away'))),
    },
    liveCalls: world.liveCalls,
    switchboard: world.switchboard,
  });
  await away.callControl.requestHangup({ ...world.mine(callId), immediate: true });
  t.is(world.stateOf(callId), 'active.ending');
});

test('a ringing call is cancelled, an answered one is not', async (t) => {
  const world = await createCallControlWorld(t);
  const [ringing, active] = [await world.place(), await talking(world)];
  await world.callControl.requestCancel(world.mine(ringing));
  t.deepEqual(world.lineOf(ringing).commands, [{ type: 'hangUp' }]);
  world.confirmCancel(ringing);
  t.like(await world.rowOf(ringing), { status: 'no_answer', endReason: 'cancelled', durationSec: 0 });
  await t.throwsAsync(world.callControl.requestCancel(world.mine(active)), { code: 'call_not_active' });
  t.is(world.stateOf(active), 'active.talking.conversing');
  await t.throwsAsync(world.callControl.requestCancel(world.mine(ringing)), { code: 'call_not_active' });
});

test('the built-in agent hangs up its own call, as long as there is one', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  await world.callControl.hangUpOwnCall(callId, { immediate: true });
  t.is(world.stateOf(callId), 'active.ending');
  await t.throwsAsync(world.callControl.hangUpOwnCall(randomUUID(), { immediate: true }), {
    code: 'call_not_active',
  });
});
