import test from 'ava';
import { facts } from '#src/persistence/call-facts.ts';
import { patchNumber } from '#src/persistence/numbers.ts';
import { changedTables } from '#test/helpers/query-tables.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { createCallControlWorld } from '../call-control-world.ts';

test('nothing is dialled before the row is there', async (t) => {
  const world = await createCallControlWorld(t);
  const number = await world.number();
  const elsewhere = { ...number, id: '00000000-0000-4000-8000-000000000000' };
  await t.throwsAsync(
    world.callControl.placeCall(elsewhere, {
      to: '01000000001',
      instruction: null,
      maxDurationSec: null,
      keyed: null,
    }),
  );
  t.is(world.lines.size, 0);
  t.is(world.liveCalls.count(), 0);
  t.is(world.agentCalls.size, 0);
});

test('a call that could not be stored gives its place back', async (t) => {
  const world = await createCallControlWorld(t, { limits: { maxCalls: 1, maxBeginning: 100 } });
  const number = await world.number();
  const elsewhere = { ...number, id: '00000000-0000-4000-8000-000000000000' };
  const request = { to: '01000000001', instruction: null, maxDurationSec: null, keyed: null };
  await t.throwsAsync(world.callControl.placeCall(elsewhere, request));
  await t.notThrowsAsync(world.callControl.placeCall(number, request));
  await t.throwsAsync(world.callControl.placeCall(number, request), { code: 'over_capacity' });
});

test('a call that is in progress counts once; its place is free again when it has ended', async (t) => {
  const world = await createCallControlWorld(t, { limits: { maxCalls: 2, maxBeginning: 100 } });
  const [first, second] = [await world.place(), await world.place()];
  await t.throwsAsync(world.place(), { code: 'over_capacity' });
  world.clock.increment(44_000);
  world.answer(first);
  world.clock.increment(1_000);
  world.confirmCancel(second);
  await t.notThrowsAsync(world.place());
});

const losingAnswers = test.macro<[boolean, unknown]>({
  async exec(t, isStored, expected) {
    const database = await testDatabase(t);
    const world = await createCallControlWorld(t, {
      database: {
        ...database,
        async run(query) {
          if (!changedTables(query).includes('call')) return database.run(query);
          if (isStored) await database.run(query);
          throw new Error('Connection terminated unexpectedly');
        },
      },
    });
    await t.throwsAsync(world.place(), { message: /Connection terminated/ });
    await world.journal.settled();
    const rows = await database.execute('select status, end_reason from call where number_id = $1', [
      world.stored.numberId,
    ]);
    t.deepEqual(rows, expected);
    t.deepEqual(
      world.logged.filter((line) => line.includes('could not be written')),
      [],
    );
  },
  title: (_, isStored) =>
    `a call whose answer from the database was lost does not ring for ever: it was ${isStored ? '' : 'not '}stored`,
});

test(losingAnswers, true, [{ status: 'failed', end_reason: 'system_error' }]);
test(losingAnswers, false, []);

test('the limits are those of the number, then those of its workspace', async (t) => {
  const world = await createCallControlWorld(t, { maxCallsInProgress: 2 });
  await patchNumber(world.database, world.stored, { maxConcurrentCalls: 1 });
  await world.place();
  t.like(await t.throwsAsync(world.place()), { code: 'concurrency_limit', extras: { maximum: 1 } });
  await patchNumber(world.database, world.stored, { maxConcurrentCalls: 5 });
  await world.place();
  t.like(await t.throwsAsync(world.place()), { code: 'concurrency_limit', extras: { maximum: 2 } });
  await world.database.execute('update workspace set max_calls_in_progress = 3 where id = $1', [
    world.stored.workspaceId,
  ]);
  await world.place();
  t.like(await t.throwsAsync(world.place()), { code: 'concurrency_limit', extras: { maximum: 3 } });
  t.is(await world.rows(), 3);
});

test('a gateway that drains begins no call', async (t) => {
  const world = await createCallControlWorld(t);
  world.callControl.admission.drain();
  await t.throwsAsync(world.place(), { code: 'draining' });
  t.is(await world.rows(), 0);
});

test('a call whose row is there and that cannot begin is ended, and does not ring for ever', async (t) => {
  const world = await createCallControlWorld(t, {
    keepAgent: () => {
      throw new Error('A mistake of ours');
    },
  });
  await t.throwsAsync(world.place(), { message: 'A mistake of ours' });
  await world.journal.settled();
  const [row] = await world.database.execute<{ id: string }>('select id from call where number_id = $1', [
    world.stored.numberId,
  ]);
  const callId = row?.id ?? '';
  t.like(await world.rowOf(callId), { status: 'failed', endReason: 'system_error', durationSec: 0 });
  t.like(await facts(world.database, callId), [{ sequence: 1, type: 'call.ended' }]);
  t.deepEqual(world.ends, [`${callId} failed system_error`]);
  t.is(world.liveCalls.count(), 0);
});

test('the policy of a call is that of the number, else of its workspace, else of the platform', async (t) => {
  const world = await createCallControlWorld(t);
  await world.database.execute(
    'update workspace set ring_timeout_sec = 20, recording_enabled = false where id = $1',
    [world.stored.workspaceId],
  );
  await patchNumber(world.database, world.stored, { ringTimeoutSec: 10 });
  const short = await world.place();
  t.is((await world.rowOf(short))?.recordingEnabled, false);
  world.clock.increment(10_000);
  t.is(world.stateOf(short), 'ringing.cancelling');
  await patchNumber(world.database, world.stored, { ringTimeoutSec: null });
  const longer = await world.place();
  world.clock.increment(19_999);
  t.is(world.stateOf(longer), 'ringing.alerting');
  world.clock.increment(1);
  t.is(world.stateOf(longer), 'ringing.cancelling');
});

test('nobody’s silence is waited out for longer than 30 seconds and, after the question, 30 more', async (t) => {
  const world = await createCallControlWorld(t);
  const { callId } = await world.receive();
  world.answer(callId);
  const say = () => world.lineOf(callId).commands.filter(({ type }) => type === 'say').length;
  const played = (utterance: number) =>
    world
      .lineOf(callId)
      .tell({ type: 'line.played', at: 0, startedAt: 0, utterance, text: 'Hello', whole: true });
  played(1);
  t.is(say(), 1);
  world.clock.increment(29_999);
  t.is(say(), 1);
  world.clock.increment(1);
  t.is(say(), 2);
  played(2);
  world.clock.increment(29_999);
  t.is(world.stateOf(callId), 'active.talking.conversing');
  world.clock.increment(1);
  t.not(world.stateOf(callId), 'active.talking.conversing');
});
