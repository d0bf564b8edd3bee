/** A recording that a process began which died, and that another one goes on with. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { until } from '#test/helpers/until.ts';
import { readOggVorbis } from './ogg-vorbis.ts';
import { record, recordingsWorld } from './recordings-world.ts';

const doomedRecorder = fileURLToPath(new URL('doomed-recorder.ts', import.meta.url));

/** A call in progress whose process was killed while it recorded some seconds. */
const killed = async (t: ExecutionContext, format: 'ogg' | 'mp3') => {
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  const path = world.pathOf(`${callId}.${format}`);
  const doomed = spawn(process.execPath, [doomedRecorder, path], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(doomed, 'exit');
  await until('some of it is written', async () => {
    const { size } = await stat(`${path}.part`).catch(() => ({ size: 0 }));
    return size > 60_000 ? true : undefined;
  });
  doomed.kill('SIGKILL');
  await ended;
  const recordings = await world.start(null, { format, goesOn: callId });
  return { world, callId, recordings };
};

const completed = async ({ world }: Awaited<ReturnType<typeof killed>>) => {
  const fact = await until('it is told', () => world.facts[0]);
  if (fact.type !== 'recording.completed') throw new Error(`It is ${fact.type}`);
  return { fact, bytes: await readFile(join(world.folder, fact.file)) };
};

test('an Ogg file has both parts, with silence between them, and is one stream', async (t) => {
  const began = await killed(t, 'ogg');
  const { callId, recordings } = began;
  const goesOnAtSec = 100;
  recordings.expect(callId, () => goesOnAtSec * 1_000);
  record(recordings, callId, 5);
  const { fact, bytes } = await completed(began);
  t.false(fact.truncated);
  t.true(Math.abs(fact.durationSec - 105) < 1, String(fact.durationSec));
  const ogg = readOggVorbis(bytes);
  t.true(ogg.isWhole);
  t.is(ogg.seconds, fact.durationSec);
  const soundsAt = (from: number, to: number): boolean =>
    ogg.blocks.some(({ at, left }) => left && at > from && at < to);
  t.true(soundsAt(0, 3), 'what was recorded before');
  t.false(soundsAt(80, 99), 'while nobody recorded');
  t.true(soundsAt(101, 104), 'what was recorded after');
  t.is(bytes.length, fact.bytes);
});

test('an MP3 file has both parts', async (t) => {
  const began = await killed(t, 'mp3');
  const { callId, recordings } = began;
  recordings.expect(callId, () => 60_000);
  record(recordings, callId, 5);
  const { fact, bytes } = await completed(began);
  t.false(fact.truncated);
  t.true(Math.abs(fact.durationSec - 65) < 1, String(fact.durationSec));
  // Frames of 36 ms, 288 bytes each: all of them are whole, and they are as long as is told.
  t.is(bytes.length % 288, 0);
  t.true(Math.abs((bytes.length / 288) * 0.036 - fact.durationSec) < 0.3);
});

test('where nothing more is recorded, what there is is the recording', async (t) => {
  const began = await killed(t, 'ogg');
  const { callId, recordings } = began;
  recordings.expect(callId, () => 10_000);
  recordings.release(callId);
  const { fact } = await completed(began);
  t.true(fact.truncated);
  t.true(fact.durationSec > 3);
});

test('where the earlier part lies elsewhere, the file says that some is missing', async (t) => {
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  const recordings = await world.start(null);
  recordings.expect(callId, () => 10_000);
  record(recordings, callId, 3);
  const fact = await until('it is told', () => world.facts[0]);
  t.like(fact, { type: 'recording.completed', callId, truncated: true, durationSec: 3 });
});

test('the half-written file of a call that does not go on is swept away, of one that does it stays', async (t) => {
  const world = await recordingsWorld(t);
  const [goesOn, other] = [await world.call('active'), await world.call('active')];
  for (const callId of [goesOn, other]) await world.leave(`${callId}.ogg.part`, Buffer.from('OggS'));
  await world.start(null, { goesOn });
  const files = await world.files();
  t.true(files.some((name) => name.includes(goesOn)));
  t.false(files.some((name) => name.includes(other)));
});
