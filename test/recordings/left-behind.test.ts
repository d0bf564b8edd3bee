import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { until } from '#test/helpers/until.ts';
import { piecesOf, secondsOf } from './pieces.ts';
import { record, recordingsWorld } from './recordings-world.ts';
import { tone } from './tone.ts';

const doomedRecorder = fileURLToPath(new URL('doomed-recorder.ts', import.meta.url));

/** The bytes of a complete recording. */
const recorded = async (
  world: Awaited<ReturnType<typeof recordingsWorld>>,
  format: 'ogg' | 'mp3',
  seconds: number,
) => {
  const recordings = await world.start(null, { format });
  const callId = await world.call();
  record(recordings, callId, seconds);
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
    const bytes = await recorded(world, format, 3);
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

for (const format of ['ogg', 'mp3'] as const) {
  test(`a ${format} file whose process was killed is the recording as far as it was written`, async (t) => {
    const world = await recordingsWorld(t);
    const callId = await world.call();
    const path = world.pathOf(`${callId}.${format}`);
    const doomed = spawn(process.execPath, [doomedRecorder, path], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ended = once(doomed, 'exit');
    await until('some of it is written', async () => {
      const { size } = await stat(`${path}.part`).catch(() => ({ size: 0 }));
      return size > 60_000 ? true : undefined;
    });
    doomed.kill('SIGKILL');
    await ended;

    await world.start(null);
    const [fact, ...noMore] = world.facts;
    if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
    t.deepEqual(noMore, []);
    t.like(fact, { callId, truncated: true });
    const bytes = await readFile(join(world.folder, fact.file));
    t.is(bytes.length, fact.bytes);
    t.true(fact.durationSec > 3);
    t.true(Math.abs((await secondsOf(format, bytes)) - fact.durationSec) < 0.15);
  });

  test(`what of a ${format} file is there whole is kept, wherever it breaks off`, async (t) => {
    const world = await recordingsWorld(t);
    const bytes = await recorded(world, format, 12);
    const pieces = piecesOf(format, bytes);
    for (const kept of [pieces.length - 1, pieces.length - 2]) {
      const callId = await world.call();
      const whole = Buffer.concat(pieces.slice(0, kept));
      const broken = pieces[kept]?.subarray(0, 40) ?? Buffer.alloc(0);
      await world.leave(`${callId}.${format}.part`, Buffer.concat([whole, broken]));
      await world.start(null);
      const fact = world.facts.find((each) => each.callId === callId);
      if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
      t.true(fact.truncated);
      t.deepEqual(await readFile(join(world.folder, fact.file)), whole);
    }
  });
}

test('a page that is damaged, and what follows it, is left out', async (t) => {
  const world = await recordingsWorld(t);
  const bytes = await recorded(world, 'ogg', 12);
  const pieces = piecesOf('ogg', bytes);
  const last = pieces.at(-1) ?? Buffer.alloc(0);
  const callId = await world.call();
  const damaged = Buffer.from(last);
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
  await world.leave(`${callId}.ogg.part`, Buffer.concat([...pieces.slice(0, -1), damaged, last]));
  await world.start(null);
  const fact = world.facts.find((each) => each.callId === callId);
  if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
  t.is(fact.bytes, bytes.length - last.length);
});

test('a recording that was cut off stays so when its completion was not written before the next crash', async (t) => {
  const world = await recordingsWorld(t);
  const bytes = await recorded(world, 'ogg', 12);
  const callId = await world.call();
  await world.leave(`${callId}.truncated.ogg`, bytes);
  await world.start(null);
  t.like(
    world.facts.find((each) => each.callId === callId),
    { type: 'recording.completed', truncated: true },
  );
});

test('what is still being written when the gateway ends is kept as far as it is written', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null);
  const [begun, silent] = [await world.call(), await world.call()];
  const sink = recordings.begin(begun);
  recordings.begin(silent);
  for (let second = 0; second < 5; second += 1) sink.write(tone(1, 440), tone(1, 880));
  await until('its file is there', async () => ((await world.files()).length > 0 ? true : undefined));
  await recordings.close();
  const fact = world.facts.find((each) => each.callId === begun);
  if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
  t.true(fact.truncated);
  t.is(await secondsOf('ogg', await readFile(join(world.folder, fact.file))), fact.durationSec);
  t.deepEqual(world.typesOf(silent), ['recording.failed']);
});

test('after a crash what was half-written without a sound, or never begun, has failed and is swept away', async (t) => {
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
