/** The files of recordings that were erased go, from the folder and from the store, whatever is away meanwhile. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { joinNodes } from '#src/persistence/nodes.ts';
import { eraseRecordings } from '#src/persistence/erasing.ts';
import { findRecording } from '#src/persistence/recordings.ts';
import { until } from '#test/helpers/until.ts';
import { record, recordingsWorld } from './recordings-world.ts';
import { startS3Server } from './s3-server.ts';

type World = Awaited<ReturnType<typeof recordingsWorld>>;

const often = { erased: { everyMs: 50, atOnce: 2 } };

const untilCompleted = ({ statusOf }: World, callId: string) =>
  until('it is completed', async () => ((await statusOf(callId)) === 'completed' ? true : undefined));

const untilForgotten = ({ database }: World, callId: string) =>
  until('its file is gone', async () =>
    (await findRecording(database, callId))?.file === null ? true : undefined,
  );

test.serial('a file goes from the folder, and another stays', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, often);
  const [erased, kept] = [await world.call(), await world.call()];
  for (const callId of [erased, kept]) record(recordings, callId);
  for (const callId of [erased, kept]) await untilCompleted(world, callId);
  await eraseRecordings(world.database, [erased]);
  await untilForgotten(world, erased);
  t.deepEqual(
    (await world.files()).map((name) => name.includes(kept)),
    [true],
  );
});

test.serial('one that is erased while it is written goes when it is complete', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, often);
  const callId = await world.call();
  await eraseRecordings(world.database, [callId]);
  record(recordings, callId);
  await untilCompleted(world, callId);
  await untilForgotten(world, callId);
  t.deepEqual(await world.files(), []);
});

test.serial('it goes from the store, as soon as that is back', async (t) => {
  const world = await recordingsWorld(t);
  const server = await startS3Server(t);
  const recordings = await world.start(server, often);
  const [erased, kept] = [await world.call(), await world.call()];
  for (const callId of [erased, kept]) record(recordings, callId);
  for (const callId of [erased, kept]) await untilCompleted(world, callId);
  server.misbehave(({ method }) => (method === 'DELETE' ? { status: 503 } : undefined));
  await eraseRecordings(world.database, [erased]);
  await until('the store was asked in vain', () => server.seen.includes('DELETE') || undefined);
  t.is(server.objects.size, 2);
  server.misbehave(() => undefined);
  await untilForgotten(world, erased);
  t.deepEqual(
    [...server.objects.keys()].map((key) => key.includes(kept)),
    [true],
  );
});

test.serial('one that the store keeps back does not hold up the others', async (t) => {
  const world = await recordingsWorld(t);
  const server = await startS3Server(t);
  const recordings = await world.start(server, { erased: { everyMs: 50, atOnce: 1 } });
  const calls = [await world.call(), await world.call(), await world.call()].toSorted();
  for (const callId of calls) record(recordings, callId);
  for (const callId of calls) await untilCompleted(world, callId);
  const kept = [...server.objects.keys()].find((key) => key.includes(calls[0] ?? '')) ?? '';
  server.misbehave(({ method, key }) => (method === 'DELETE' && key === kept ? { status: 403 } : undefined));
  await eraseRecordings(world.database, calls);
  await until('the others are gone', () => server.objects.size === 1 || undefined);
  t.deepEqual([...server.objects.keys()], [kept]);
});

test.serial(
  'a gateway removes those of one that does not run, and leaves the files of one that does',
  async (t) => {
    const world = await recordingsWorld(t);
    const running = randomUUID();
    await joinNodes(world.database, { name: running, instance: randomUUID(), address: null });
    const [gone, other] = [
      await world.call('completed', randomUUID()),
      await world.call('completed', running),
    ];
    const recordings = await world.start(null, often);
    for (const callId of [gone, other]) record(recordings, callId);
    for (const callId of [gone, other]) await untilCompleted(world, callId);
    await eraseRecordings(world.database, [gone, other]);
    await untilForgotten(world, gone);
    t.not((await findRecording(world.database, other))?.file, null);
  },
);

test.serial('a gateway that comes back removes what was erased while it did not run', async (t) => {
  const world = await recordingsWorld(t);
  const first = await world.start(null, often);
  const callId = await world.call();
  record(first, callId);
  await untilCompleted(world, callId);
  await first.close();
  await eraseRecordings(world.database, [callId]);
  // Another gateway took the file for lost.
  await world.database.execute('update recording set file = null where call_id = $1', [callId]);
  await world.start(null, often);
  await until('it is gone', async () => ((await world.files()).length === 0 ? true : undefined));
  t.pass();
});
