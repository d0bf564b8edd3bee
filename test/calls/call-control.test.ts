import test from 'ava';
import { facts } from '#src/persistence/call-facts.ts';
import { patchNumber } from '#src/persistence/numbers.ts';
import type { Pressure } from '#src/calls/setup/load-shedding.ts';
import { createCallControlWorld } from './call-control-world.ts';

test('one call control counts the calls of both directions', async (t) => {
  const world = await createCallControlWorld(t);
  await patchNumber(world.database, world.stored, { maxConcurrentCalls: 2 });
  await world.place();
  t.like(await world.receive(), { verdict: { accepted: true } });
  await t.throwsAsync(world.place(), { code: 'concurrency_limit' });
  t.like(await world.receive(), { verdict: { because: 'concurrency_limit' } });
});

test('while load is shed no call begins, in either direction', async (t) => {
  let pressure: Pressure | null = 'event_loop';
  const world = await createCallControlWorld(t, { load: { pressure: () => pressure } });
  await t.throwsAsync(world.place(), { code: 'over_capacity' });
  t.like(await world.receive(), { verdict: { because: 'over_capacity' } });
  t.is(await world.rows(), 0);
  pressure = null;
  await t.notThrowsAsync(world.place());
  t.like(await world.receive(), { verdict: { accepted: true } });
});

test('a gateway without lines places and receives no calls', async (t) => {
  const world = await createCallControlWorld(t, { hasLines: false });
  await t.throwsAsync(world.place(), { instanceOf: Error });
  t.is(await world.rows(), 0);
  t.is(world.lines.size, 0);
});

test('keys are pressed in a call in progress, and leave a fact', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await world.place();
  await t.throwsAsync(world.callControl.pressOwnKeys(callId, '1'), { code: 'call_not_active' });
  world.answer(callId);
  await world.callControl.pressOwnKeys(callId, '1w2');
  t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'press', keys: '1w2' });
  await world.journal.settled();
  t.like((await facts(world.database, callId)).at(-1), { type: 'keys.pressed', data: { keys: '1w2' } });
});

test('a recording is paused and resumed by the same call control', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await world.place();
  world.answer(callId);
  await world.callControl.pauseRecording(world.mine(callId));
  await world.callControl.resumeRecording(world.mine(callId));
  t.deepEqual(
    world.lineOf(callId).commands.map(({ type }) => type),
    ['pauseRecording', 'resumeRecording'],
  );
});

test('a call has begun for its observer before it ends, and is let go of once', async (t) => {
  const told: string[] = [];
  const world = await createCallControlWorld(t, {
    observer: { began: ({ callId }) => void told.push(callId), ended: () => {} },
  });
  const callId = await world.place();
  t.deepEqual(told, [callId]);
  world.answer(callId);
  t.true(world.agentCalls.has(callId));
  world.hangUp(callId);
  world.clock.increment(5_000);
  t.false(world.agentCalls.has(callId));
  t.deepEqual(world.released, [callId]);
  t.deepEqual(world.ends, [`${callId} completed counterparty_hangup`]);
});
