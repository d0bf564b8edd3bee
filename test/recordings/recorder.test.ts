/** Recording of calls: the recorder, its files and a full disk. */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { z } from 'zod';
import { systemClock } from '#src/clocks.ts';
import type { RecordingFormat } from '#src/recordings/encoder.ts';
import { createLeftElsewhere } from '#src/recordings/left-elsewhere.ts';
import type { CompleteFile } from '#src/recordings/recording-folder.ts';
import { createRecorder, type RecordingOutcome } from '#src/recordings/recorder.ts';
import { leaveRecording, recordingsLeftTo } from '#src/persistence/calls/recordings.ts';
import { createRecordings, type RecordingFact } from '#src/recordings/recordings.ts';
import { createAudioQueue } from '#src/recordings/audio-queue.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';
import { readOggVorbis } from './ogg-vorbis.ts';
import { secondsOf } from './pieces.ts';
import { record, recordingsWorld } from './recordings-world.ts';

// Recordings

const runRecordings = promisify(execFile);
const rate = 16_000;
type Fact = RecordingFact;

const tone = (seconds: number, hertz: number): Int16Array =>
  Int16Array.from({ length: seconds * rate }, (_, index) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );

const recordingsSilence = (seconds: number): Int16Array => new Int16Array(seconds * rate);

const openWorld = async (
  t: ExecutionContext,
  options: { folder?: string; format?: RecordingFormat } = {},
) => {
  const root = await mkdtemp(join(tmpdir(), 'trunkline-recordings-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const facts: Fact[] = [];
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const database = await testDatabase();
  const callId = await storedCall(database, await storedNumber(database));
  const recordings = await createRecordings({
    folder: options.folder ?? root,
    format: options.format ?? 'ogg',
    store: null,
    abandoned: { everyMs: 3_600_000, afterMs: 365 * 86_400_000 },
    erased: { everyMs: 3_600_000, atOnce: 1_000 },
    elsewhere: { everyMs: 3_600_000 },
    database,
    node: 'test',
    isResumed: () => false,
    append(id, fact) {
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

test.serial('records a call into an Ogg Vorbis file of its length, with one channel per party', async (t) => {
  const { root, recordings, callId, facts, told } = await openWorld(t);
  const sink = recordings.begin(callId);
  sink.write(tone(1, 440), recordingsSilence(1));
  sink.write(recordingsSilence(1), recordingsSilence(1));
  sink.write(recordingsSilence(1), tone(1, 880));
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
  // A block is at the middle of its window, which extends into the next second.
  const within = (from: number) => blocks.filter(({ at }) => at > from + 0.1 && at < from + 0.9);
  t.true(within(0).length > 10 && within(0).every(({ left }) => left));
  t.true(within(1).length > 10 && within(1).every(({ left, right }) => !left && right === false));
  t.true(within(2).length > 10 && within(2).every(({ left, right }) => !left && right === true));
  t.is((await stat(path)).mode & 0o777, 0o600);

  const loudness = async (channel: number, from: number): Promise<number> => {
    const { stderr } = await runRecordings('sox', [
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
    await runRecordings('sox', ['--version']);
  } catch {
    t.log('sox is not installed: the sound itself was not measured');
    return;
  }
  t.true((await loudness(1, 0)) > 0.2 && (await loudness(2, 2)) > 0.2);
  t.true((await loudness(1, 2)) < 0.02 && (await loudness(2, 0)) < 0.02);
});

test.serial(
  'records a call into an MP3 file of constant bit rate with two channels, slightly longer than the call',
  async (t) => {
    const { root, recordings, callId, facts, told } = await openWorld(t, { format: 'mp3' });
    const sink = recordings.begin(callId);
    sink.write(tone(1, 440), recordingsSilence(1));
    sink.write(recordingsSilence(1), tone(1, 880));
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
  },
);

test.serial('reads a stored recording completely and in ranges', async (t) => {
  const { recordings, callId, facts, told } = await openWorld(t);
  const sink = recordings.begin(callId);
  sink.write(tone(1, 440), recordingsSilence(1));
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

test.serial('reports a failed recording once and leaves no files; the call continues', async (t) => {
  const { root, recordings, callId, facts, told } = await openWorld(t);
  const sink = recordings.begin(callId);
  sink.write(tone(1, 440), recordingsSilence(1));
  sink.fail(new Error('the engine broke'));
  sink.fail(new Error('again'));
  sink.write(tone(1, 440), recordingsSilence(1));
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

test.serial('fails the recording, but not the call, if the folder is read-only', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'trunkline-recordings-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const file = join(root, 'a-file');
  await writeFile(file, '');
  const { recordings, callId, facts, told } = await openWorld(t, { folder: file });
  const sink = recordings.begin(callId);
  t.notThrows(() => sink.write(tone(1, 440), recordingsSilence(1)));
  await told;
  t.is(facts[0]?.type, 'recording.failed');
});

test.serial('fails the recording, but not the call, if the disk is full', async (t) => {
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
  // The call continues: the full disk is detected long before the end of the call.
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

test.serial('fails the recording if both sides have different lengths', async (t) => {
  const { recordings, callId, facts, told } = await openWorld(t);
  recordings.begin(callId).write(recordingsSilence(1), recordingsSilence(2));
  await told;
  t.is(facts[0]?.type, 'recording.failed');
});

test.serial('close keeps the incomplete recording and marks it as truncated', async (t) => {
  const { recordings, callId, facts } = await openWorld(t);
  recordings.begin(callId).write(tone(1, 440), recordingsSilence(1));
  await recordings.close();
  t.is(facts.length, 1);
  t.like(facts[0], { type: 'recording.completed', truncated: true, durationSec: 1 });
});

test.serial(
  'deletes partial files of a dead process at the next start and keeps complete ones',
  async (t) => {
    const { root } = await openWorld(t);
    await mkdir(join(root, '2026-11'));
    await writeFile(join(root, '2026-11', 'a.ogg.part'), '');
    await writeFile(join(root, '2026-11', 'b.ogg'), '');
    await openWorld(t, { folder: root });
    t.deepEqual(await readdir(join(root, '2026-11')), ['b.ogg']);
  },
);

// Recorder

/** Stores appended audio instead of encoding it. */
const recordedInMemory = (
  broken: {
    opened?: Promise<void>;
    open?: Error;
    /** Resolves before any audio is accepted. */
    appended?: Promise<void>;
    append?: Error;
    complete?: Error;
    abandon?: Error;
  } = {},
) => {
  const pieces: number[] = [];
  const left: number[] = [];
  const right: number[] = [];
  const done: string[] = [];
  const outcomes: RecordingOutcome[] = [];
  const { promise: told, resolve } = Promise.withResolvers<RecordingOutcome>();
  const failWith = (error: Error | undefined): void => {
    if (error !== undefined) throw error;
  };
  const sink = createRecorder(
    async () => {
      await broken.opened;
      failWith(broken.open);
      done.push('open');
      return {
        async append(stretches) {
          await broken.appended;
          failWith(broken.append);
          pieces.push(stretches.reduce((sum, { agent }) => sum + agent.length, 0));
          for (const { counterparty, agent } of stretches) {
            for (const sample of counterparty) left.push(sample);
            for (const sample of agent) right.push(sample);
          }
        },
        async complete(isCut) {
          failWith(broken.complete);
          done.push('complete');
          return { durationSec: left.length / rate, bytes: left.length, truncated: isCut };
        },
        async leave() {
          done.push('leave');
        },
        async abandon() {
          done.push('abandon');
          failWith(broken.abandon);
        },
      };
    },
    (outcome) => {
      outcomes.push(outcome);
      resolve(outcome);
    },
  );
  /** Resolves when no more audio can arrive. */
  const settled = async (): Promise<void> => {
    await told;
    await setImmediate();
    await setImmediate();
  };
  return { sink, told, settled, outcomes, done, pieces, left, right };
};

const sound = (length: number, first = 0): Int16Array =>
  Int16Array.from({ length }, (_, index) => first + index);

test.serial('encodes everything once and in order, each side separately, for any block sizes', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(3 * rate), fc.boolean()), { maxLength: 4 }),
      async (stretches) => {
        const { sink, told, left, right, pieces } = recordedInMemory();
        let written = 0;
        for (const [length, pauses] of stretches) {
          sink.write(sound(length, written), sound(length, written + 1));
          written += length;
          if (pauses) await setImmediate();
        }
        sink.finish();
        t.is((await told).status, 'completed');
        t.deepEqual(Int16Array.from(left), sound(written));
        t.deepEqual(Int16Array.from(right), sound(written, 1));
        t.true(pieces.every((length) => length < 2 * rate));
      },
    ),
    { numRuns: 20 },
  );
});

test.serial('yields to the event loop while a long block is encoded', async (t) => {
  const { sink, told, pieces } = recordedInMemory();
  sink.write(sound(10 * rate), sound(10 * rate));
  sink.finish();
  let isOver = false;
  const over = (async () => {
    await told;
    isOver = true;
  })();
  let turns = 0;
  for (; !isOver; turns += 1) await setImmediate();
  await over;
  t.is(pieces.length, 10);
  t.true(turns >= 10);
});

test.serial('copies blocks, so that the caller can reuse its arrays', async (t) => {
  const { sink, told, left } = recordedInMemory();
  const counterparty = sound(100, 7);
  sink.write(counterparty, sound(100));
  counterparty.fill(0);
  sink.finish();
  await told;
  t.deepEqual(Int16Array.from(left), sound(100, 7));
});

test.serial('creates an empty recording for a call without audio', async (t) => {
  const { sink, told, done } = recordedInMemory();
  sink.finish();
  t.deepEqual(await told, { status: 'completed', durationSec: 0, bytes: 0, truncated: false });
  t.deepEqual(done, ['open', 'complete']);
});

test.serial('accepts only the first end of a recording and reports it once', async (t) => {
  const finished = recordedInMemory();
  finished.sink.write(sound(10), sound(10));
  finished.sink.finish();
  finished.sink.finish();
  finished.sink.fail(new Error('too late'));
  finished.sink.write(sound(10), sound(10));
  await finished.settled();
  finished.sink.fail(new Error('too late'));
  await finished.settled();
  t.deepEqual(finished.outcomes, [
    { status: 'completed', durationSec: 10 / rate, bytes: 10, truncated: false },
  ]);

  const failed = recordedInMemory();
  const error = new Error('the line broke');
  failed.sink.write(sound(10), sound(10));
  await setImmediate();
  failed.sink.fail(error);
  failed.sink.finish();
  failed.sink.write(sound(10), sound(10));
  await failed.settled();
  t.deepEqual(failed.outcomes, [{ status: 'failed', error }]);
  t.deepEqual(failed.done, ['open', 'abandon']);
});

test.serial('creates no file for a recording that fails before its first audio', async (t) => {
  const { sink, told, done } = recordedInMemory();
  sink.fail(new Error('no voice'));
  t.is((await told).status, 'failed');
  t.deepEqual(done, []);
});

for (const step of ['open', 'append', 'complete'] as const)
  test.serial(
    `fails the recording once if the disk fails at ${step}, even if its partial file cannot be deleted`,
    async (t) => {
      const error = new Error('the disk is full');
      const { sink, settled, outcomes, done } = recordedInMemory({
        [step]: error,
        abandon: new Error('nor that'),
      });
      sink.write(sound(10), sound(10));
      if (step === 'complete') sink.finish();
      await settled();
      t.notThrows(() => {
        sink.write(sound(10), sound(10));
        sink.finish();
        sink.fail(new Error('again'));
      });
      await settled();
      t.deepEqual(outcomes, [{ status: 'failed', error }]);
      t.deepEqual(done, step === 'open' ? [] : ['open', 'abandon']);
    },
  );

test.serial('writes everything in order after the disk hung for a while', async (t) => {
  const { promise: appended, resolve: goOn } = Promise.withResolvers<void>();
  const { sink, told, left } = recordedInMemory({ appended });
  for (let second = 0; second < 100; second += 1) sink.write(sound(rate, second), sound(rate));
  await setImmediate();
  t.is(left.length, 0);
  sink.finish();
  goOn();
  t.is((await told).status, 'completed');
  t.is(left.length, 100 * rate);
  t.is(left[99 * rate], sound(rate, 99)[0]);
});

test.serial('fails the recording instead of accumulating audio without a reader', async (t) => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { sink, told, left } = recordedInMemory({ opened });
  const minute = new Int16Array(60 * rate);
  for (let minutes = 0; minutes < 5; minutes += 1) sink.write(minute, minute);
  open();
  const outcome = await told;
  t.is(outcome.status === 'failed' && outcome.error.message, 'Encoding does not keep up with the recording');
  t.is(left.length, 0);
});

// Audio queue

const soundQueueSilence = (seconds: number) => ({
  counterparty: new Int16Array(seconds * rate),
  agent: new Int16Array(seconds * rate),
});

test.serial('returns audio in blocks of one second, then the end', async (t) => {
  const queue = createAudioQueue();
  queue.push(soundQueueSilence(2.5));
  queue.end('finished');
  const lengths: unknown[] = [];
  for (let piece = await queue.next(); typeof piece !== 'string'; piece = await queue.next())
    lengths.push(piece.map(({ agent }) => agent.length / rate));
  t.deepEqual(lengths, [[1], [1], [0.5]]);
  t.is(await queue.next(), 'finished');
});

test.serial('passes audio to a waiting reader when it arrives', async (t) => {
  const queue = createAudioQueue();
  let given: unknown;
  const asking = queue.next().then((piece) => (given = piece));
  await setImmediate();
  t.is(given, undefined);
  queue.push(soundQueueSilence(1));
  await asking;
  t.deepEqual(given, [soundQueueSilence(1)]);
});

test.serial('accepts only the first end of the queue, and no audio after it', async (t) => {
  const queue = createAudioQueue();
  queue.end('cut');
  queue.end('finished');
  queue.push(soundQueueSilence(1));
  t.is(await queue.next(), 'cut');
});

test.serial('returns no audio after an error', async (t) => {
  const queue = createAudioQueue();
  queue.push(soundQueueSilence(1));
  queue.end(new Error('the line broke'));
  await t.throwsAsync(queue.next(), { message: 'the line broke' });
});

test.serial('makes the recorder wait until the queue is nearly empty, or for the end', async (t) => {
  const queue = createAudioQueue();
  queue.push(soundQueueSilence(10));
  await queue.drained();
  queue.push(soundQueueSilence(2));
  const told: string[] = [];
  void queue.drained().then(() => told.push('drained'));
  await queue.next();
  await setImmediate();
  t.deepEqual(told, []);
  await queue.next();
  await setImmediate();
  t.deepEqual(told, ['drained']);
  queue.push(soundQueueSilence(60));
  const waiting = queue.drained();
  queue.end('cut');
  await waiting;
  await queue.drained();
  t.pass();
});

test.serial('queues at most two minutes of audio that was not returned yet', async (t) => {
  const queue = createAudioQueue();
  queue.push(soundQueueSilence(120));
  await queue.next();
  queue.push(soundQueueSilence(1));
  queue.push(soundQueueSilence(1));
  t.deepEqual(await queue.next(), [soundQueueSilence(1)]);
  queue.push(soundQueueSilence(2));
  queue.push(soundQueueSilence(1));
  await t.throwsAsync(queue.next(), { message: 'Encoding does not keep up with the recording' });
});

test.serial('rejects two sides of different lengths', async (t) => {
  const queue = createAudioQueue();
  queue.push({ counterparty: new Int16Array(1), agent: new Int16Array(2) });
  await t.throwsAsync(queue.next(), { message: 'The two sides of a recording must have the same length' });
});

// Continued recordings
// A recording started by a process that died and continued by another one.

const doomedRecorder = fileURLToPath(new URL('doomed-recorder.ts', import.meta.url));

/** An active call whose process was killed after recording some seconds. */
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
  const recordings = await world.start(null, { format, isResumed: callId });
  return { world, callId, recordings };
};

const completed = async ({ world }: Awaited<ReturnType<typeof killed>>) => {
  const fact = await until('it is told', () => world.facts[0]);
  if (fact.type !== 'recording.completed') throw new Error(`It is ${fact.type}`);
  return { fact, bytes: await readFile(join(world.folder, fact.file)) };
};

test.serial('joins both parts into one Ogg stream with silence between them', async (t) => {
  const began = await killed(t, 'ogg');
  const { world, callId, recordings } = began;
  const goesOnAtSec = 100;
  recordings.expect(callId, { talkedMs: () => goesOnAtSec * 1_000, node: world.node });
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

test.serial('joins both parts into one MP3 file', async (t) => {
  const began = await killed(t, 'mp3');
  const { world, callId, recordings } = began;
  recordings.expect(callId, { talkedMs: () => 60_000, node: world.node });
  record(recordings, callId, 5);
  const { fact, bytes } = await completed(began);
  t.false(fact.truncated);
  t.true(Math.abs(fact.durationSec - 65) < 1, String(fact.durationSec));
  // Frames of 36 ms, 288 bytes each: all are complete, and their duration is the reported one.
  t.is(bytes.length % 288, 0);
  t.true(Math.abs((bytes.length / 288) * 0.036 - fact.durationSec) < 0.3);
});

test.serial('keeps the existing part as the recording if nothing more is recorded', async (t) => {
  const began = await killed(t, 'ogg');
  const { world, callId, recordings } = began;
  recordings.expect(callId, { talkedMs: () => 10_000, node: world.node });
  recordings.release(callId);
  const { fact } = await completed(began);
  t.true(fact.truncated);
  t.true(fact.durationSec > 3);
});

/**
 * A call whose first part one gateway has recorded into its own folder, and which ends before the gateway that took it
 * over records any audio.
 */
const endedAtOnce = async (t: ExecutionContext, seconds: number) => {
  const first = await recordingsWorld(t);
  const second = await recordingsWorld(t, first);
  const callId = await second.call('active');
  const before = await first.start(null);
  const sink = before.begin(callId);
  for (let second = 0; second < seconds; second += 1) sink.write(tone(1, 440), tone(1, 880));
  sink.leave();
  await before.leave(callId);
  const after = await second.start(null, { elsewhere: { everyMs: 20 } });
  after.expect(callId, { talkedMs: () => 10_000, node: first.node });
  await second.end(callId);
  after.release(callId);
  await until('it is left to the first gateway', async () =>
    (await recordingsLeftTo(first.database, first.node)).includes(callId) ? true : undefined,
  );
  return { first, second, callId };
};

test.serial('keeps the first part of a call that ends before its next gateway records', async (t) => {
  const { first, second, callId } = await endedAtOnce(t, 5);
  t.is(await second.statusOf(callId), 'pending');
  t.deepEqual(second.facts, []);
  await first.start(null, { elsewhere: { everyMs: 20 } });
  const fact = await until('the first gateway tells', () => first.facts[0]);
  t.like(fact, { type: 'recording.completed', callId, truncated: true });
  await until('that is stored', async () =>
    (await second.statusOf(callId)) === 'completed' ? true : undefined,
  );
  t.deepEqual(await recordingsLeftTo(first.database, first.node), []);
  t.deepEqual(second.facts, []);
});

test.serial('fails the recording if no gateway has a part of it', async (t) => {
  const { first, second, callId } = await endedAtOnce(t, 0);
  await first.start(null, { elsewhere: { everyMs: 20 } });
  await until('it has failed', async () => ((await second.statusOf(callId)) === 'failed' ? true : undefined));
  t.deepEqual(first.typesOf(callId), ['recording.failed']);
});

test.serial('a gateway that was only disconnected finishes its recordings without a restart', async (t) => {
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  const recordings = await world.start(null, { elsewhere: { everyMs: 20 } });
  const sink = recordings.begin(callId);
  for (let second = 0; second < 5; second += 1) sink.write(tone(1, 440), tone(1, 880));
  sink.leave();
  await recordings.leave(callId);
  await leaveRecording(world.database, { callId, node: world.node });
  const fact = await until('it is told', () => world.facts[0]);
  t.like(fact, { type: 'recording.completed', truncated: true });
});

test.serial('retries a recording of this gateway that could not be read', async (t) => {
  const { database, node, call } = await recordingsWorld(t);
  const callId = await call('active');
  await leaveRecording(database, { callId, node });
  const file: CompleteFile = {
    callId,
    file: `${callId}.ogg`,
    format: 'ogg',
    durationSec: 1,
    bytes: 1,
    truncated: true,
    savedAt: 0,
  };
  const finds: (() => Promise<CompleteFile>)[] = [
    () => Promise.reject(new Error('The disk does not answer')),
    async () => file,
  ];
  const completed: string[] = [];
  const elsewhere = createLeftElsewhere({
    folder: { find: () => finds.shift()?.() ?? Promise.resolve(file), salvage: async () => undefined },
    database,
    node,
    numbers: { everyMs: 20 },
    settled: [],
    onComplete: (found) => completed.push(found.callId),
    onFailed: t.fail,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(elsewhere.close);
  await until('it is complete', () => completed[0]);
  t.deepEqual(completed, [callId]);
});

/** The recording of a call whose first part another gateway has written into its own folder. */
const withoutBeginning = async (t: ExecutionContext, format: 'ogg' | 'mp3', talkedSec: number) => {
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  const recordings = await world.start(null, { format });
  recordings.expect(callId, { talkedMs: () => talkedSec * 1_000, node: 'another' });
  record(recordings, callId, 3);
  return completed({ world, callId, recordings });
};

for (const talkedSec of [0.1, 5, 10, 1_800])
  test.serial(`replaces the missing first ${talkedSec} s of an Ogg file by silence`, async (t) => {
    const { fact, bytes } = await withoutBeginning(t, 'ogg', talkedSec);
    t.true(fact.truncated);
    t.is(bytes.length, fact.bytes);
    const ogg = readOggVorbis(bytes);
    t.true(ogg.isWhole);
    t.is(ogg.seconds, fact.durationSec);
    t.true(Math.abs(ogg.seconds - talkedSec - 3) < 0.1, String(ogg.seconds));
    const sounds = ogg.blocks.filter(({ left }) => left).map(({ at }) => at);
    t.true(Math.abs(Math.min(...sounds) - talkedSec) < 0.2, String(sounds[0]));
    t.true(Math.max(...sounds) > talkedSec + 2);
  });

for (const talkedSec of [0.01, 5, 1_800])
  test.serial(`an MP3 file without its first ${talkedSec} s has the length of the call`, async (t) => {
    const { fact, bytes } = await withoutBeginning(t, 'mp3', talkedSec);
    t.true(fact.truncated);
    t.is(bytes.length, fact.bytes);
    t.is(bytes.length % 288, 0);
    t.true(Math.abs((bytes.length / 288) * 0.036 - talkedSec - 3) < 0.3);
  });

test.serial('keeps recordings of other gateways in a shared folder', async (t) => {
  const world = await recordingsWorld(t);
  const theirs = await world.call('active', 'another');
  const over = await world.call('completed', 'another');
  await world.leave(`${theirs}.ogg.part`, Buffer.from('OggS'));
  await world.leave(`${over}.ogg.part`, Buffer.from('OggS'));
  await world.leave('unknown.ogg.part', Buffer.from('OggS'));
  await world.start(null);
  const files = await world.files();
  t.true(files.some((name) => name.includes(theirs)));
  t.true(
    files.some((name) => name.includes(over)),
    'its recording is pending',
  );
  t.false(files.some((name) => name.includes('unknown')));
});

test.serial('deletes the partial file of an ended call and keeps that of a continuing one', async (t) => {
  const world = await recordingsWorld(t);
  const [isResumed, other] = [await world.call('active'), await world.call('active')];
  for (const callId of [isResumed, other]) await world.leave(`${callId}.ogg.part`, Buffer.from('OggS'));
  await world.start(null, { isResumed });
  const files = await world.files();
  t.true(files.some((name) => name.includes(isResumed)));
  t.false(files.some((name) => name.includes(other)));
});

// Small disk
// A disk that becomes full while a call is recorded: files of the process have a maximum size.

const runSmallDisk = promisify(execFile);
const recorder = fileURLToPath(new URL('small-disk-recorder.ts', import.meta.url));

const kept = z.object({
  kept: z.object({ file: z.string(), durationSec: z.number(), bytes: z.number(), truncated: z.boolean() }),
});

/** Records with a maximum file size of this many blocks of 512 bytes. */
const recordWithin = async (folder: string, callId: string, format: 'ogg' | 'mp3', blocks: number) => {
  const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const command = ['-c', script, process.execPath, recorder, folder, callId, format];
  const { stdout, stderr } = await runSmallDisk('sh', command);
  return { told: stdout.trimEnd().split('\n'), logged: stderr };
};

const emptyFolder = async (onEnd: (remove: () => Promise<void>) => void): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-recordings-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

for (const format of ['ogg', 'mp3'] as const) {
  test.serial(`keeps the written part of a recording that fills the disk: ${format}`, async (t) => {
    const folder = await emptyFolder(t.teardown.bind(t));
    const callId = randomUUID();
    const { told, logged } = await recordWithin(folder, callId, format, 200);
    t.is(told.length, 1);
    const { kept: recording } = kept.parse(JSON.parse(told[0] ?? ''));
    t.true(recording.truncated);
    t.regex(recording.file, new RegExp(`${callId}.truncated.${format}$`));
    const bytes = await readFile(join(folder, recording.file));
    t.is(bytes.length, recording.bytes);
    t.true(bytes.length > 50_000 && bytes.length <= 200 * 512);
    t.true(Math.abs((await secondsOf(format, bytes)) - recording.durationSec) < 0.15);
    t.true(recording.durationSec > 5);
    t.regex(logged, /writing a recording failed; the recorded part is kept/);
  });
}

test.serial('fails the recording and leaves no file if the disk has no space for any audio', async (t) => {
  const folder = await emptyFolder(t.teardown.bind(t));
  const callId = randomUUID();
  const { told, logged } = await recordWithin(folder, callId, 'ogg', 1);
  t.deepEqual(told, [JSON.stringify({ failed: callId })]);
  t.regex(logged, /a recording failed/);
  const files = await readdir(folder, { recursive: true });
  t.deepEqual(
    files.filter((name) => name.includes('.')),
    [],
  );
});
