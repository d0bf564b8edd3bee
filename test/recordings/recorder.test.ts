/** Recording of calls: the recorder, its files and a full disk. */
import { execFile, spawn } from 'node:child_process';
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
import { systemClock } from '#src/clocks.ts';
import { pcmu } from '#sip/audio/g711.ts';
import { eraseRecordings } from '#src/persistence/calls/erasing.ts';
import { recordFact } from '#src/persistence/calls/call-facts.ts';
import type { RecordingFormat } from '#src/recordings/recording-format.ts';
import { readMoments } from '#src/recordings/raw-part.ts';
import { createRecorder, type RecordingOutcome } from '#src/recordings/recorder.ts';
import {
  findRecording,
  finishesRecording,
  leaveRecording,
  recordingsLeftTo,
} from '#src/persistence/calls/recordings.ts';
import { createRecordings, type RecordingFact } from '#src/recordings/recordings.ts';
import { createAudioQueue, type AudioEnd } from '#src/recordings/audio-queue.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';
import { readOggVorbis } from './ogg-vorbis.ts';
import { heardIn, secondsOf } from './pieces.ts';
import { assembly, encoding, record, recordingsWorld } from './recordings-world.ts';

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
    encoding,
    assembly: { ...assembly, everyMs: 3_600_000 },
    otherParts: null,
    database,
    node: 'test',
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
  await mkdir(join(root, 'parts'));
  await symlink('/dev/full', join(root, 'parts', `${callId}+0+test+open.ulaw`));
  const sink = recordings.begin(callId);
  // The call continues: the full disk is detected long before the end of the call.
  for (let seconds = 0; seconds < 100 && facts.length === 0; seconds += 1) {
    sink.write(tone(1, 440), tone(1, 880));
    await setImmediate();
  }
  await until('it is told', () => facts[0]);
  t.is(facts[0]?.type, 'recording.failed');
  sink.write(tone(1, 440), tone(1, 880));
  sink.finish();
  await recordings.close();
  t.is(facts.length, 1);
  t.deepEqual(await readdir(join(root, 'parts')), []);
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

/** Stores appended audio in memory. */
const recordedInMemory = (
  broken: {
    opened?: Promise<void>;
    open?: Error;
    /** Resolves before any audio is accepted. */
    appended?: Promise<void>;
    append?: Error;
    close?: Error;
    abandon?: Error;
  } = {},
) => {
  const chunks: Uint8Array[] = [];
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
        async append(bytes) {
          await broken.appended;
          failWith(broken.append);
          chunks.push(bytes.slice());
        },
        async close(hasEnd) {
          failWith(broken.close);
          done.push(hasEnd ? 'end' : 'close');
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
  return { sink, told, settled, outcomes, done, chunks, written: () => readMoments(Buffer.concat(chunks)) };
};

/** Samples after the loss of their encoding. */
const companded = (samples: Int16Array): Int16Array => {
  const bytes = new Uint8Array(samples.length);
  pcmu.encode(samples, bytes, 0);
  return pcmu.decode(bytes);
};

const sound = (length: number, first = 0): Int16Array =>
  Int16Array.from({ length }, (_, index) => first + index);

test.serial('writes everything once and in order, each side separately, for any block sizes', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(3 * rate), fc.boolean()), { maxLength: 4 }),
      async (stretches) => {
        const { sink, told, written, chunks } = recordedInMemory();
        let length = 0;
        for (const [more, pauses] of stretches) {
          sink.write(sound(more, length), sound(more, length + 1));
          length += more;
          if (pauses) await setImmediate();
        }
        sink.finish();
        t.is((await told).status, 'finished');
        const { counterparty, agent } = written();
        t.deepEqual(counterparty, companded(sound(length)));
        t.deepEqual(agent, companded(sound(length, 1)));
        t.true(chunks.every((bytes) => bytes.length <= rate));
      },
    ),
    { numRuns: 20 },
  );
});

test.serial('copies blocks, so that the caller can reuse its arrays', async (t) => {
  const { sink, told, written } = recordedInMemory();
  const counterparty = sound(100, 7);
  sink.write(counterparty, sound(100));
  counterparty.fill(0);
  sink.finish();
  await told;
  t.deepEqual(written().counterparty, companded(sound(100, 7)));
});

test.serial('creates an empty part for a call without audio', async (t) => {
  const { sink, told, done } = recordedInMemory();
  sink.finish();
  t.deepEqual(await told, { status: 'finished' });
  t.deepEqual(done, ['open', 'end']);
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
  t.deepEqual(finished.outcomes, [{ status: 'finished' }]);
  t.is(finished.written().agent.length, 10);

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

for (const step of ['open', 'append', 'close'] as const)
  test.serial(
    `fails the recording once if the disk fails at ${step}, even if its file cannot be deleted`,
    async (t) => {
      const error = new Error('the disk is full');
      const { sink, settled, outcomes, done } = recordedInMemory({
        [step]: error,
        abandon: new Error('nor that'),
      });
      sink.write(sound(rate), sound(rate));
      if (step === 'close') sink.finish();
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
  const { sink, told, chunks, written } = recordedInMemory({ appended });
  for (let second = 0; second < 100; second += 1) sink.write(sound(rate, second), sound(rate));
  await setImmediate();
  t.is(chunks.length, 0);
  sink.finish();
  goOn();
  t.is((await told).status, 'finished');
  const { counterparty } = written();
  t.is(counterparty.length, 100 * rate);
  t.deepEqual(counterparty.subarray(99 * rate), companded(sound(rate, 99)));
});

test.serial('fails the recording instead of accumulating audio without a reader', async (t) => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { sink, told, chunks } = recordedInMemory({ opened });
  const minute = new Int16Array(60 * rate);
  for (let minutes = 0; minutes < 5; minutes += 1) sink.write(minute, minute);
  open();
  const outcome = await told;
  t.is(outcome.status === 'failed' && outcome.error.message, 'The disk does not keep up with the recording');
  t.is(chunks.length, 0);
});

// Audio queue

const soundQueueSilence = (seconds: number) => ({
  counterparty: new Int16Array(seconds * rate),
  agent: new Int16Array(seconds * rate),
});

/** Seconds of audio in a chunk. */
const secondsIn = (chunk: Uint8Array | AudioEnd): number =>
  typeof chunk === 'string' ? Number.NaN : chunk.length / 2 / rate;

test.serial('returns audio in chunks of half a second, then the end', async (t) => {
  const queue = createAudioQueue();
  queue.push(soundQueueSilence(1.25));
  queue.end('finished');
  const lengths: number[] = [];
  for (let chunk = await queue.next(); typeof chunk !== 'string'; chunk = await queue.next())
    lengths.push(secondsIn(chunk));
  t.deepEqual(lengths, [0.5, 0.5, 0.25]);
  t.is(await queue.next(), 'finished');
});

test.serial('uses the memory of a chunk again when the next one is asked for', async (t) => {
  const queue = createAudioQueue();
  const memory = new Set<unknown>();
  for (let pushed = 0; pushed < 10; pushed += 1) {
    queue.push({ counterparty: new Int16Array(rate / 2), agent: new Int16Array(rate / 2) });
    const chunk = await queue.next();
    if (typeof chunk !== 'string') memory.add(chunk.buffer);
  }
  t.is(memory.size, 2, 'one that is filled and one that is written');
});

test.serial('passes a chunk to a waiting reader when it is full', async (t) => {
  const queue = createAudioQueue();
  let given: Uint8Array | AudioEnd | undefined;
  const asking = queue.next().then((chunk) => (given = chunk));
  queue.push(soundQueueSilence(0.4));
  await setImmediate();
  t.is(given, undefined);
  queue.push(soundQueueSilence(0.4));
  t.is(secondsIn(await asking), 0.5);
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
  queue.push(soundQueueSilence(1));
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
  t.is(secondsIn(await queue.next()), 0.5);
  queue.push(soundQueueSilence(1));
  queue.push(soundQueueSilence(1));
  await t.throwsAsync(queue.next(), { message: 'The disk does not keep up with the recording' });
});

test.serial('rejects two sides of different lengths', async (t) => {
  const queue = createAudioQueue();
  queue.push({ counterparty: new Int16Array(1), agent: new Int16Array(2) });
  await t.throwsAsync(queue.next(), { message: 'The two sides of a recording must have the same length' });
});

// Recordings of several parts
// Several gateways held the call, one after the other; each has written a part.

const doomedRecorder = fileURLToPath(new URL('doomed-recorder.ts', import.meta.url));

type World = Awaited<ReturnType<typeof recordingsWorld>>;

/** An active call whose process was killed after recording some seconds. */
const killed = async (t: ExecutionContext, format: 'ogg' | 'mp3') => {
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  const doomed = spawn(process.execPath, [doomedRecorder, world.folder, callId, world.node], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(doomed, 'exit');
  const path = join(world.folder, 'parts', `${callId}+0+${world.node}+open.ulaw`);
  await until('some of it is written', async () => {
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    return size > 200_000 ? true : undefined;
  });
  doomed.kill('SIGKILL');
  await ended;
  const recordings = await world.start(null, { format });
  const { size } = await stat(path);
  return { world, callId, recordings, seconds: size / 2 / rate };
};

const completed = async ({ folder, facts }: World, count = 1) => {
  const fact = await until('it is told', () => facts[count - 1]);
  if (fact.type !== 'recording.completed') throw new Error(`It is ${fact.type}`);
  return { fact, bytes: await readFile(join(folder, fact.file)) };
};

test.serial('joins the part of a killed process and the next one, with silence between them', async (t) => {
  const { world, callId, recordings, seconds } = await killed(t, 'ogg');
  recordings.expect(callId, { talkedMs: () => 100_000, node: world.node });
  record(recordings, callId, 5);
  const { fact, bytes } = await completed(world);
  t.false(fact.truncated);
  t.is(fact.durationSec, 105);
  t.is(bytes.length, fact.bytes);
  const ogg = readOggVorbis(bytes);
  t.true(ogg.isWhole);
  t.is(ogg.seconds, 105);
  t.deepEqual(heardIn(bytes), [
    [0, Math.round(seconds)],
    [100, 105],
  ]);
});

test.serial('joins both parts into one MP3 file', async (t) => {
  const { world, callId, recordings } = await killed(t, 'mp3');
  recordings.expect(callId, { talkedMs: () => 60_000, node: world.node });
  record(recordings, callId, 5);
  const { fact, bytes } = await completed(world);
  t.false(fact.truncated);
  t.is(fact.durationSec, 65);
  // Frames of 36 ms, 288 bytes each: all are complete, and their duration is the reported one.
  t.is(bytes.length % 288, 0);
  t.true(Math.abs((bytes.length / 288) * 0.036 - fact.durationSec) < 0.3);
});

test.serial('makes the recording of the existing part if nothing more is recorded', async (t) => {
  const { world, callId, recordings, seconds } = await killed(t, 'ogg');
  recordings.expect(callId, { talkedMs: () => 10_000, node: world.node });
  recordings.release(callId);
  const { fact } = await completed(world);
  t.true(fact.truncated);
  t.is(fact.durationSec, seconds);
});

test.serial('a part ends where the next one begins', async (t) => {
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  const frozen = await world.start(null);
  const sink = frozen.begin(callId);
  for (let second = 0; second < 20; second += 1) sink.write(tone(1, 440), tone(1, 880));
  sink.leave();
  await frozen.leave(callId);
  frozen.expect(callId, { talkedMs: () => 10_000, node: world.node });
  record(frozen, callId, 5);
  const { fact } = await completed(world);
  t.is(fact.durationSec, 15);
});

/**
 * Two gateways with folders of their own. The first one has recorded ten seconds of a call and is killed; the second one
 * has taken the call over. `reach.first` says whether the second one reaches the first.
 */
const takenOver = async (t: ExecutionContext, waitMs = 0, overdueMs = 3_600_000) => {
  const first = await recordingsWorld(t);
  const second = await recordingsWorld(t, first);
  const callId = await second.call('active');
  const before = await first.start(null);
  const sink = before.begin(callId);
  for (let at = 0; at < 10; at += 1) sink.write(tone(1, 440), tone(1, 880));
  sink.leave();
  await before.leave(callId);
  await recordFact(second.database, callId, 3, {
    type: 'call.taken_over',
    at: Date.now(),
    node: second.node,
    from: first.node,
  });
  const reach = { first: true, failures: 0, isJournalAway: false };
  const away = () => {
    reach.failures += 1;
    return Promise.reject(new Error('The gateway is away'));
  };
  const after = await second.start(null, {
    assembly: { waitMs, askAgainMs: 20, overdueMs },
    get isJournalAway() {
      return reach.isJournalAway;
    },
    otherParts: {
      list: async (node, id) => (node === first.node && reach.first ? before.own.parts(id) : away()),
      open: async (node, name) => (node === first.node && reach.first ? before.own.openPart(name) : away()),
    },
  });
  after.expect(callId, { talkedMs: () => 20_000, node: first.node });
  return { first, second, callId, after, reach };
};

const partsIn = async ({ files }: World) => (await files()).filter((name) => name.startsWith('parts'));

const isWhole = [
  [0, 10],
  [20, 25],
];

test.serial('fetches the part of another gateway, which removes its own when the file is made', async (t) => {
  const { first, second, callId, after } = await takenOver(t);
  record(after, callId, 5);
  await second.end(callId);
  const { fact, bytes } = await completed(second);
  t.false(fact.truncated);
  t.is(fact.durationSec, 25);
  t.deepEqual(heardIn(bytes), isWhole);
  await until('no part is left', async () =>
    (await partsIn(second)).length + (await partsIn(first)).length === 0 ? true : undefined,
  );
  t.deepEqual(first.facts, []);
});

test.serial('waits for a gateway that restarts', async (t) => {
  const { second, callId, after, reach } = await takenOver(t, 3_600_000);
  reach.first = false;
  record(after, callId, 5);
  await second.end(callId);
  await until('it was asked twice', () => (reach.failures > 1 ? true : undefined));
  t.deepEqual(second.facts, []);
  reach.first = true;
  t.deepEqual(heardIn((await completed(second)).bytes), isWhole);
});

test.serial(
  'replaces the part of an unavailable gateway by silence, and completes the file later',
  async (t) => {
    const { first, second, callId, after, reach } = await takenOver(t);
    reach.first = false;
    record(after, callId, 5);
    await second.end(callId);
    const { fact, bytes } = await completed(second);
    t.true(fact.truncated);
    t.is(fact.durationSec, 25);
    t.deepEqual(heardIn(bytes), [[20, 25]]);
    await until('it is stored', async () =>
      (await second.statusOf(callId)) === 'completed' ? true : undefined,
    );
    reach.first = true;
    const whole = await completed(second, 2);
    t.false(whole.fact.truncated);
    t.deepEqual(heardIn(whole.bytes), isWhole);
    await until('only the whole file is left', async () =>
      (await second.files()).length === 1 && (await first.files()).length === 0 ? true : undefined,
    );
    t.is(second.facts.length, 2);
  },
);

test.serial('completes a truncated recording once, also while the journal is not stored', async (t) => {
  const { second, callId, after, reach } = await takenOver(t);
  const isStored = (id: string) =>
    until('it is stored', async () => ((await second.statusOf(id)) === 'completed' ? true : undefined));
  reach.first = false;
  record(after, callId, 5);
  await second.end(callId);
  await completed(second);
  await isStored(callId);
  // Each look asks for the missing part of this one, whose gateway never returns.
  const other = await second.call('active');
  const taken = { type: 'call.taken_over', at: Date.now(), node: second.node, from: 'gone' } as const;
  await recordFact(second.database, other, 3, taken);
  after.expect(other, { talkedMs: () => 10_000, node: 'gone' });
  record(after, other, 1);
  await second.end(other);
  await completed(second, 2);
  await isStored(other);

  reach.isJournalAway = true;
  reach.first = true;
  t.false((await completed(second, 3)).fact.truncated);
  const asked = reach.failures;
  await until('three more looks', () => (reach.failures >= asked + 3 ? true : undefined));
  t.is(second.facts.length, 3);
});

test.serial('adds the part of a gateway that is back to a recording without an end', async (t) => {
  const { second, callId, after, reach } = await takenOver(t);
  reach.first = false;
  const sink = after.begin(callId);
  for (let at = 0; at < 5; at += 1) sink.write(tone(1, 440), tone(1, 880));
  const path = join(second.folder, 'parts', `${callId}+20000+${second.node}+open.ulaw`);
  await until('all of it is written', async () => {
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    return size === 5 * 2 * rate || undefined;
  });
  sink.fail(new Error('The line broke'));
  await second.end(callId);
  t.deepEqual(heardIn((await completed(second)).bytes), [[20, 25]]);
  const state = () => findRecording(second.database, callId);
  await until('it is stored', async () => (await state())?.status === 'completed' || undefined);
  reach.first = true;
  const { fact, bytes } = await completed(second, 2);
  t.true(fact.truncated);
  t.deepEqual(heardIn(bytes), isWhole);
  await until('no part is left', async () => (await partsIn(second)).length === 0 || undefined);
  t.like(await state(), { truncated: true, bytes: bytes.length });
  t.is(second.facts.length, 2);
});

test.serial('a recording without a part in its middle is truncated', async (t) => {
  const { second, callId, after, reach } = await takenOver(t);
  await second.leavePart(`${callId}+0+${second.node}+open.ulaw`, Buffer.alloc(2 * rate * 5, 0x80));
  reach.first = false;
  record(after, callId, 5);
  await second.end(callId);
  const { fact, bytes } = await completed(second);
  t.true(fact.truncated);
  t.deepEqual(heardIn(bytes).at(-1), [20, 25]);
});

test.serial('removes the raw parts of an erased recording everywhere', async (t) => {
  const { first, second, callId, after, reach } = await takenOver(t);
  reach.first = false;
  record(after, callId, 5);
  await second.end(callId);
  await completed(second);
  t.true((await partsIn(first)).length + (await partsIn(second)).length > 1);
  await eraseRecordings(second.database, [callId]);
  await until('no part is left', async () =>
    (await partsIn(second)).length + (await partsIn(first)).length === 0 ? true : undefined,
  );
  t.is(second.facts.length, 1);
});

test.serial('leaves a recording to the gateway that has all of it', async (t) => {
  const { first, second, callId, after, reach } = await takenOver(t);
  reach.first = false;
  await second.end(callId);
  after.release(callId);
  const fact = await until('the first gateway tells', () => first.facts[0]);
  t.like(fact, { type: 'recording.completed', callId, truncated: true, durationSec: 10 });
  await until('that is stored', async () =>
    (await second.statusOf(callId)) === 'completed' ? true : undefined,
  );
  t.deepEqual(second.facts, []);
});

test.serial('makes the recording of a call that it claimed and only ended', async (t) => {
  const { second, callId } = await takenOver(t, 0, 20);
  await second.end(callId);
  const { fact, bytes } = await completed(second);
  t.true(fact.truncated);
  t.deepEqual(heardIn(bytes), [[0, 10]]);
});

test.serial('reports recordings again whose facts were lost', async (t) => {
  const world = await recordingsWorld(t);
  const journal = { isAway: true };
  const recordings = await world.start(null, {
    assembly: { overdueMs: 20 },
    get isJournalAway() {
      return journal.isAway;
    },
  });
  const [audible, silent] = [await world.call('active'), await world.call('active')];
  record(recordings, audible, 2);
  await completed(world);
  await world.end(audible);
  await world.end(silent);
  await until(
    'both are reported',
    () => new Set(world.facts.map(({ callId }) => callId)).size === 2 || undefined,
  );
  journal.isAway = false;
  await until('it is completed', async () => (await world.statusOf(audible)) === 'completed' || undefined);
  await until('it has failed', async () => (await world.statusOf(silent)) === 'failed' || undefined);
  t.pass();
});

test.serial('forgets a recording that the database has as completed', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, { assembly: { overdueMs: 20 } });
  const callId = await world.call('active');
  record(recordings, callId, 1);
  await world.end(callId);
  // Reset to pending, the recording is reported again while it is remembered. Afterwards it fails without a part.
  await until('it is forgotten', async () => {
    const status = await world.statusOf(callId);
    if (status === 'completed')
      await world.database.execute(`update recording set status = 'pending' where call_id = $1`, [callId]);
    return status === 'failed' || undefined;
  });
  t.is(world.typesOf(callId).at(-1), 'recording.failed');
});

test.serial('does not finish a recording that was left to it before the call has ended', async (t) => {
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  await leaveRecording(world.database, { callId, node: world.node });
  t.deepEqual(await recordingsLeftTo(world.database, world.node), []);
  await world.end(callId);
  t.deepEqual(await recordingsLeftTo(world.database, world.node), [callId]);
});

test.serial('the gateway of an ended call finishes its recording unless left to another', async (t) => {
  const world = await recordingsWorld(t);
  const { database, node } = world;
  const callId = await world.call('active');
  t.false(await finishesRecording(database, { callId, node }));
  await world.end(callId);
  t.true(await finishesRecording(database, { callId, node }));
  await leaveRecording(database, { callId, node: 'another' });
  t.false(await finishesRecording(database, { callId, node }));
  t.true(await finishesRecording(database, { callId, node: 'another' }));
});

test.serial('fails a recording that was left to a gateway without a part of it', async (t) => {
  const world = await recordingsWorld(t);
  await world.start(null);
  const callId = await world.call('active');
  await leaveRecording(world.database, { callId, node: world.node });
  await world.end(callId);
  await until('it has failed', async () => ((await world.statusOf(callId)) === 'failed' ? true : undefined));
  t.deepEqual(world.typesOf(callId), ['recording.failed']);
});

test.serial('retries a recording that could not be made', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null);
  const callId = await world.call();
  const month = new Date().toISOString().slice(0, 7);
  // A folder with the name of the file.
  await mkdir(join(world.folder, month, `${callId}.ogg`, 'x'), { recursive: true });
  record(recordings, callId, 2);
  await until('it was tried', async () => ((await partsIn(world)).length === 1 ? true : undefined));
  await rm(join(world.folder, month, `${callId}.ogg`), { recursive: true });
  t.is((await completed(world)).fact.durationSec, 2);
});

for (const [format, talkedSec] of [
  ['ogg', 0.1],
  ['ogg', 300],
  ['mp3', 5],
] as const)
  test.serial(`a part from ${talkedSec} s on follows silence in an ${format} file`, async (t) => {
    const world = await recordingsWorld(t);
    const callId = await world.call('active');
    const recordings = await world.start(null, { format });
    recordings.expect(callId, { talkedMs: () => talkedSec * 1_000, node: world.node });
    record(recordings, callId, 3);
    const { fact, bytes } = await completed(world);
    t.is(fact.truncated, talkedSec > 1);
    t.is(bytes.length, fact.bytes);
    t.is(fact.durationSec, talkedSec + 3);
    t.true(Math.abs((await secondsOf(format, bytes)) - talkedSec - 3) < 0.2);
    if (format === 'ogg') t.deepEqual(heardIn(bytes), [[Math.round(talkedSec), Math.round(talkedSec + 3)]]);
  });

test.serial('keeps the parts of calls in progress and of other gateways in a shared folder', async (t) => {
  const world = await recordingsWorld(t);
  const part = Buffer.alloc(1_000);
  const kept = [
    `${await world.call('active', 'another')}+0+another+open.ulaw`,
    `${await world.call('completed', 'another')}+0+another+end.ulaw`,
    `${await world.call('active')}+0+${world.node}+open.ulaw`,
  ];
  const failed = await world.call();
  await recordFact(world.database, failed, 3, { type: 'recording.failed', at: Date.now() });
  for (const name of [...kept, `${failed}+0+${world.node}+open.ulaw`]) await world.leavePart(name, part);
  await world.start(null);
  await until('the part of a failed recording is gone', async () =>
    (await partsIn(world)).length === 3 ? true : undefined,
  );
  t.deepEqual((await partsIn(world)).toSorted(), kept.map((name) => join('parts', name)).toSorted());
});

// Small disk
// A disk that becomes full while a call is recorded: files of the process have a maximum size.

const runSmallDisk = promisify(execFile);
const recorder = fileURLToPath(new URL('small-disk-recorder.ts', import.meta.url));

/** Records with a maximum file size of this many blocks of 512 bytes. */
const recordWithin = async (folder: string, callId: string, blocks: number) => {
  const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const command = ['-c', script, process.execPath, recorder, folder, callId];
  const { stdout, stderr } = await runSmallDisk('sh', command);
  return { told: stdout.trimEnd().split('\n'), logged: stderr };
};

test.serial(
  'keeps the written part of a recording that fills the disk, and makes a file of it',
  async (t) => {
    const world = await recordingsWorld(t);
    const callId = await world.call();
    const { told, logged } = await recordWithin(world.folder, callId, 300);
    t.deepEqual(told, [JSON.stringify({ made: callId })]);
    t.regex(logged, /writing a recording failed; the recorded part is kept/);
    await world.start(null);
    const { fact, bytes } = await completed(world);
    t.true(fact.truncated);
    t.regex(fact.file, new RegExp(`${callId}.truncated.ogg$`));
    t.is(bytes.length, fact.bytes);
    t.is(fact.durationSec, (300 * 512) / 2 / rate);
    t.is(await secondsOf('ogg', bytes), fact.durationSec);
  },
);
