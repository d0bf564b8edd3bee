import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { systemClock } from '#src/clocks.ts';
import type { RecordingFormat } from '#src/recordings/encoder.ts';
import { createRecordings, type RecordingFact } from '#src/recordings/recordings.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { readOggVorbis } from './ogg-vorbis.ts';

const run = promisify(execFile);
const rate = 16_000;
type Fact = RecordingFact;

const tone = (seconds: number, hertz: number): Int16Array =>
  Int16Array.from({ length: seconds * rate }, (_, index) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );

const silence = (seconds: number): Int16Array => new Int16Array(seconds * rate);

const openWorld = async (
  t: ExecutionContext,
  options: { folder?: string; format?: RecordingFormat } = {},
) => {
  const root = await mkdtemp(join(tmpdir(), 'trunkline-recordings-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const facts: Fact[] = [];
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const database = await testDatabase(t);
  const callId = await storedCall(database, await storedNumber(database));
  const recordings = await createRecordings({
    folder: options.folder ?? root,
    format: options.format ?? 'ogg',
    store: null,
    abandoned: { everyMs: 3_600_000, afterMs: 365 * 86_400_000 },
    erased: { everyMs: 3_600_000, atOnce: 1_000 },
    database,
    node: 'test',
    goesOn: () => false,
    publish(id, fact) {
      t.is(id, callId);
      facts.push(fact);
      resolve();
    },
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(() => recordings.close());
  return { root, recordings, callId, facts, told };
};

test('a call becomes an Ogg Vorbis file of its length, with both parties on channels of their own', async (t) => {
  const { root, recordings, callId, facts, told } = await openWorld(t);
  const sink = recordings.begin(callId);
  sink.write(tone(1, 440), silence(1));
  sink.write(silence(1), silence(1));
  sink.write(silence(1), tone(1, 880));
  sink.finish();
  sink.finish();
  await told;
  const [fact] = facts;
  t.is(facts.length, 1);
  if (fact?.type !== 'recording.completed') throw new Error(`The recording is ${fact?.type}`);
  t.is(fact.durationSec, 3);
  t.is(fact.contentType, 'audio/ogg');
  const path = join(root, fact.file);
  const file = await readFile(path);
  t.is(file.length, fact.bytes);
  const { blocks, ...format } = readOggVorbis(file);
  t.deepEqual(format, { channels: 2, sampleRate: rate, seconds: 3, isWhole: true });
  // A block lies at the middle of its window, which reaches into the next second.
  const within = (from: number) => blocks.filter(({ at }) => at > from + 0.1 && at < from + 0.9);
  t.true(within(0).length > 10 && within(0).every(({ left }) => left));
  t.true(within(1).length > 10 && within(1).every(({ left, right }) => !left && right === false));
  t.true(within(2).length > 10 && within(2).every(({ left, right }) => !left && right === true));
  t.is((await stat(path)).mode & 0o777, 0o600);

  const loudness = async (channel: number, from: number): Promise<number> => {
    const { stderr } = await run('sox', [
      path,
      '-n',
      'remix',
      String(channel),
      'trim',
      String(from),
      '1',
      'stat',
    ]);
    return Number(/RMS\s+amplitude:\s+([\d.]+)/.exec(stderr)?.[1]);
  };
  try {
    await run('sox', ['--version']);
  } catch {
    t.log('sox is not installed: the sound itself was not measured');
    return;
  }
  t.true((await loudness(1, 0)) > 0.2 && (await loudness(2, 2)) > 0.2);
  t.true((await loudness(1, 2)) < 0.02 && (await loudness(2, 0)) < 0.02);
});

test('a call becomes an MP3 file of a constant bit rate: two channels, and a little longer than the call', async (t) => {
  const { root, recordings, callId, facts, told } = await openWorld(t, { format: 'mp3' });
  const sink = recordings.begin(callId);
  sink.write(tone(1, 440), silence(1));
  sink.write(silence(1), tone(1, 880));
  sink.finish();
  await told;
  const [fact] = facts;
  if (fact?.type !== 'recording.completed') throw new Error(`The recording is ${fact?.type}`);
  t.like(fact, { contentType: 'audio/mpeg', durationSec: 2 });
  t.regex(fact.file, /\.mp3$/);
  const file = await readFile(join(root, fact.file));
  t.is(file.length, fact.bytes);
  // Each frame has 576 samples; at 64 kbit/s and 16000 Hz that is 288 bytes (ISO 13818-3).
  t.is(file.length % 288, 0);
  for (let at = 0; at < file.length; at += 288) {
    t.is(file.readUInt16BE(at) & 0xff_fe, 0xff_f2, 'MPEG 2, layer III');
    t.is(file.readUInt8(at + 2) >> 2, 0b1000_10, '64 kbit/s, 16000 Hz');
    t.not(file.readUInt8(at + 3) >> 6, 0b11, 'not mono');
  }
  const seconds = (file.length / 288) * (576 / rate);
  t.true(seconds >= 2 && seconds < 2.15, `${seconds} s`);
});

test('a stored recording is read whole and in part', async (t) => {
  const { recordings, callId, facts, told } = await openWorld(t);
  const sink = recordings.begin(callId);
  sink.write(tone(1, 440), silence(1));
  sink.finish();
  await told;
  const [fact] = facts;
  if (fact?.type !== 'recording.completed') throw new Error(`The recording is ${fact?.type}`);
  const stored = await recordings.open({ callId, file: fact.file });
  if (stored === undefined) throw new Error('The recording is not where it should be');
  t.is(stored.bytes, fact.bytes);
  t.is(await text(await stored.read({ start: 0, end: 3 })), 'OggS');
  t.is(await recordings.open({ callId, file: 'gone/away.ogg' }), undefined);
});

test('a recording that fails says so once and leaves nothing behind; the call goes on', async (t) => {
  const { root, recordings, callId, facts, told } = await openWorld(t);
  const sink = recordings.begin(callId);
  sink.write(tone(1, 440), silence(1));
  sink.fail(new Error('the engine broke'));
  sink.fail(new Error('again'));
  sink.write(tone(1, 440), silence(1));
  sink.finish();
  await told;
  await recordings.close();
  t.deepEqual(
    facts.map(({ type }) => type),
    ['recording.failed'],
  );
  const left = await readdir(root, { recursive: true });
  t.deepEqual(
    left.filter((name) => name.includes('.ogg')),
    [],
  );
});

test('a folder that cannot be written to fails the recording, not the call', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'trunkline-recordings-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const file = join(root, 'a-file');
  await writeFile(file, '');
  const { recordings, callId, facts, told } = await openWorld(t, { folder: file });
  const sink = recordings.begin(callId);
  t.notThrows(() => sink.write(tone(1, 440), silence(1)));
  await told;
  t.is(facts[0]?.type, 'recording.failed');
});

test('a disk that becomes full fails the recording, not the call', async (t) => {
  try {
    await access('/dev/full');
  } catch {
    t.log('there is no /dev/full here: nothing was tested');
    t.pass();
    return;
  }
  const { root, recordings, callId, facts } = await openWorld(t);
  const month = new Date().toISOString().slice(0, 7);
  await mkdir(join(root, month));
  await symlink('/dev/full', join(root, month, `${callId}.ogg.part`));
  const sink = recordings.begin(callId);
  // The call goes on: that the disk is full is noticed long before its end.
  for (let seconds = 0; seconds < 100 && facts.length === 0; seconds += 1) {
    sink.write(tone(1, 440), tone(1, 880));
    await setImmediate();
  }
  t.is(facts[0]?.type, 'recording.failed');
  sink.write(tone(1, 440), tone(1, 880));
  sink.finish();
  await recordings.close();
  t.is(facts.length, 1);
  t.deepEqual(await readdir(join(root, month)), []);
});

test('sides of different length fail the recording', async (t) => {
  const { recordings, callId, facts, told } = await openWorld(t);
  recordings.begin(callId).write(silence(1), silence(2));
  await told;
  t.is(facts[0]?.type, 'recording.failed');
});

test('closing keeps what is still being written, and says that its end is missing', async (t) => {
  const { recordings, callId, facts } = await openWorld(t);
  recordings.begin(callId).write(tone(1, 440), silence(1));
  await recordings.close();
  t.is(facts.length, 1);
  t.like(facts[0], { type: 'recording.completed', truncated: true, durationSec: 1 });
});

test('parts of a process that died are swept away at the next start, complete files are not', async (t) => {
  const { root } = await openWorld(t);
  await mkdir(join(root, '2026-11'));
  await writeFile(join(root, '2026-11', 'a.ogg.part'), '');
  await writeFile(join(root, '2026-11', 'b.ogg'), '');
  await openWorld(t, { folder: root });
  t.deepEqual(await readdir(join(root, '2026-11')), ['b.ogg']);
});
