import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createInCallRequests } from '#src/calls/in-call/in-call-requests.ts';
import { createPerformRequest } from '#src/calls/in-call/perform-request.ts';
import { createRecordingRequests } from '#src/calls/in-call/pause-recording.ts';
import { steadyClock } from '#src/clocks.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';

const setUp = async (t: ExecutionContext, options: { recording?: boolean } = {}) => {
  const database = await testDatabase(t);
  const number = await storedNumber(database);
  const callId = await storedCall(database, number);
  const world = createCallWorld({ callId, recording: options.recording ?? true });
  const liveCalls = createLiveCalls();
  const { numberId, workspaceId } = number;
  liveCalls.add({ callId, numberId, workspaceId, direction: 'outbound', status: 'ringing' });
  const requests = createRecordingRequests(
    createInCallRequests({
      database,
      liveCalls,
      switchboard: { find: (id) => (id === callId ? world.actor : undefined) },
      node: 'test',
      askNode: () => Promise.reject(new Error('There is no other gateway')),
      hasMedia: true,
      underway: { forMs: 0, lookMs: 100 },
      clock: steadyClock,
      perform: createPerformRequest({ database, canSignal: () => true }),
    }),
  );
  const mine = { callId, numberId: number.numberId };
  return { database, world, requests, mine };
};

test('when the answer comes, the line knows it already; twice is once', async (t) => {
  const { world, requests, mine } = await setUp(t);
  world.answer();
  await requests.pauseRecording(mine);
  await requests.pauseRecording(mine);
  t.is(world.commands.filter(({ type }) => type === 'pauseRecording').length, 1);
  await requests.resumeRecording(mine);
  t.is(world.commands.at(-1)?.type, 'resumeRecording');
  t.deepEqual(world.story().slice(-2), ['recording.paused', 'recording.resumed']);
});

test('a call that rings or is over has nothing to pause', async (t) => {
  const { database, world, requests, mine } = await setUp(t);
  await t.throwsAsync(requests.pauseRecording(mine), { code: 'call_not_active' });
  await database.execute(`update call set status = 'completed' where id = $1`, [mine.callId]);
  await t.throwsAsync(requests.pauseRecording(mine), { code: 'call_not_active' });
  t.false(world.commands.some(({ type }) => type === 'pauseRecording'));
});

test('a call of another number does not exist', async (t) => {
  const { world, requests, mine } = await setUp(t);
  world.answer();
  for (const foreign of [
    { ...mine, numberId: randomUUID() },
    { ...mine, callId: randomUUID() },
  ])
    await t.throwsAsync(requests.pauseRecording(foreign), { code: 'call_not_found' });
  t.false(world.commands.some(({ type }) => type === 'pauseRecording'));
});

test('a call that is not recorded, or not any more, says so', async (t) => {
  const unrecorded = await setUp(t, { recording: false });
  unrecorded.world.answer();
  t.like(await t.throwsAsync(unrecorded.requests.pauseRecording(unrecorded.mine)), {
    code: 'recording_not_available',
    extras: { reason: 'none' },
  });
  const failed = await setUp(t);
  failed.world.answer();
  await failed.database.execute(
    `insert into recording (call_id, status, created_at) values ($1, 'failed', now())`,
    [failed.mine.callId],
  );
  t.like(await t.throwsAsync(failed.requests.pauseRecording(failed.mine)), {
    code: 'recording_not_available',
    extras: { reason: 'failed' },
  });
});
