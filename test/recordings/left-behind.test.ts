import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { until } from '#test/helpers/until.ts';
import { record, recordingsWorld } from './recordings-world.ts';

/** The bytes of a complete recording of three seconds. */
const threeSeconds = async (world: Awaited<ReturnType<typeof recordingsWorld>>, format: 'ogg' | 'mp3') => {
  const recordings = await world.start(null, { format });
  const callId = await world.call();
  record(recordings, callId);
  const fact = await until('it is completed', () => world.facts[0]);
  if (fact.type !== 'recording.completed') throw new Error('It is not complete');
  await until('it is filed', async () => ((await world.statusOf(callId)) === 'completed' ? true : undefined));
  await recordings.close();
  world.facts.length = 0;
  return readFile(join(world.folder, fact.file));
};

for (const format of ['ogg', 'mp3'] as const)
  test(`after a crash a complete ${format} file of a pending recording is the recording`, async (t) => {
    const world = await recordingsWorld(t);
    const bytes = await threeSeconds(world, format);
    const callId = await world.call();
    await world.leave(`${callId}.${format}`, bytes);
    await world.start(null);
    const [fact, ...noMore] = world.facts;
    if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
    t.deepEqual(noMore, []);
    t.is(fact.callId, callId);
    t.is(fact.bytes, bytes.length);
    t.is(fact.contentType, format === 'ogg' ? 'audio/ogg' : 'audio/mpeg');
    t.true(format === 'ogg' ? fact.durationSec === 3 : Math.abs(fact.durationSec - 3) < 0.15);
  });

test('after a crash what was half-written, or never begun, has failed and is swept away', async (t) => {
  const world = await recordingsWorld(t);
  const half = await world.call();
  const never = await world.call();
  await world.leave(`${half}.ogg.part`, Buffer.from('OggS'));
  await world.start(null);
  t.deepEqual(world.typesOf(half), ['recording.failed']);
  t.deepEqual(world.typesOf(never), ['recording.failed']);
  t.deepEqual(await world.files(), []);
});

test('a call in progress, and those of other gateways, are left alone', async (t) => {
  const world = await recordingsWorld(t);
  const active = await world.call('active');
  const foreign = await world.call('completed', 'another');
  await world.start(null);
  t.deepEqual(world.facts, []);
  t.is(await world.statusOf(active), 'pending');
  t.is(await world.statusOf(foreign), 'pending');
});

test('a damaged file that calls itself complete stops no start', async (t) => {
  const world = await recordingsWorld(t);
  for (const bytes of ['', 'OggS', 'no sound at all'])
    await world.leave(`${await world.call()}.ogg`, Buffer.from(bytes));
  await world.start(null);
  t.is(world.facts.length, 3);
});
