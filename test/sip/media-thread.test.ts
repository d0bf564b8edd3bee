/** The media thread: its ticks, its messages and its end; the sessions with FreeSWITCH in it. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { setImmediate as allMicrotasks } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { listening } from '#config/listening-policy.ts';
import { createDirectEndpoint } from '#sip/rtp/direct-endpoint.ts';
import type { RtpAgreement } from '#sip/rtp/agreement.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import { createHeard } from '#sip/media-thread/incoming-audio.ts';
import { postedMemory, wakeThread } from '#sip/media-thread/dozing-time.ts';
import { startPacer } from '#sip/media-thread/pacer.ts';
import type { FromMediaThread, MediaThreadData } from '#sip/media-thread/media-thread-messages.ts';
import { createSessions } from '#sip/media-thread/sessions.ts';
import {
  createMediaThread,
  startThreadEarly,
  type MediaThread,
  type StartThread,
} from '#sip/media-thread/media-thread.ts';
import { createLead } from '#sip/freeswitch/unicast-lead.ts';
import { openUnicastSession } from '#sip/freeswitch/unicast-session.ts';
import { openUdpSocket } from '#sip/rtp/udp-socket.ts';
import { quietDb, type SampleRate } from '#sip/audio/samples.ts';
import { steadyClock } from '#src/clocks.ts';
import { catchingInto } from '#test/helpers/catching-into.ts';
import { until } from '#test/helpers/until.ts';

// Thread priority

/** The nice value of a thread, given as a path in `/proc` (proc(5), /proc/pid/stat, field 19). */
const niceOf = (thread: string): number => {
  const [, behindName = ''] = readFileSync(`/proc/${thread}/stat`, 'utf8').split(') ');
  return Number(behindName.split(' ')[16]);
};

// Other tests run media threads in this process at the same time, so that only known threads are looked at.
test.serial(
  'raises the priority of a single thread, and continues if the permission is missing',
  async (t) => {
    if (process.platform !== 'linux') {
      t.pass();
      return;
    }
    const own = niceOf('thread-self');
    const module = new URL('../../sip/media-thread/thread-priority.ts', import.meta.url).href;
    const thread = new Worker(
      `const { readlinkSync } = require('node:fs');
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ goBeforeOthers }) =>
      parentPort.postMessage({ isBefore: goBeforeOthers(), path: readlinkSync('/proc/thread-self') }));
    parentPort.on('message', () => parentPort.close());`,
      { eval: true },
    );
    const [{ isBefore, path }] = await once(thread, 'message');
    t.is(niceOf(path), isBefore === true ? -10 : own);
    t.is(niceOf('thread-self'), own);
    if (process.getuid?.() === 0) t.true(isBefore, 'root may');
    const ended = once(thread, 'exit');
    thread.postMessage('end');
    await ended;
  },
);

// Heard audio

type Told = Extract<FromMediaThread, { type: 'heard' }>;

const frameOf = (level: number): Int16Array => new Int16Array(160).fill(level);
const quiet = frameOf(10);
const loud = frameOf(3_000);

/** Delivered chunks, by their tick. */
const startHeardSound = () => {
  const told = new Map<number, Told>();
  let beat = 0;
  const heard = createHeard((message) => void told.set(beat, message));
  return {
    told,
    heard,
    /** Runs this many ticks, each with the frames that `frame` returns for the calls. */
    beats(count: number, hear: () => void): void {
      for (let made = 0; made < count; made += 1) {
        hear();
        beat += 1;
        heard.tell();
      }
    },
    samplesOf: (at: number, id: number): number | undefined =>
      told.get(at)?.audio.find((one) => one.id === id)?.samples.length,
  };
};

test('delivers silence of all calls in blocks at the same tick, without losses', (t) => {
  const { told, heard, beats, samplesOf } = startHeardSound();
  const one = heard.of(1);
  const other = heard.of(2);
  beats(3, () => one.onAudio(quiet));
  beats(12, () => {
    one.onAudio(quiet);
    other.onAudio(quiet);
  });
  t.deepEqual([...told.keys()], [5, 10, 15]);
  t.deepEqual(
    [5, 10, 15].map((at) => samplesOf(at, 1)),
    [800, 800, 800],
  );
  t.deepEqual(
    [5, 10, 15].map((at) => samplesOf(at, 2)),
    [320, 800, 800],
  );
});

test('delivers a possible voice at once after the silence before it, and the silence after it', (t) => {
  const { told, heard, beats, samplesOf } = startHeardSound();
  const call = heard.of(1);
  beats(7, () => call.onAudio(quiet));
  beats(1, () => call.onAudio(loud));
  t.is(samplesOf(8, 1), 3 * 160);
  t.is(told.get(8)?.audio[0]?.samples.at(-1), 3_000);
  const second = 50;
  beats(second, () => call.onAudio(quiet));
  t.deepEqual(
    Array.from({ length: second }, (_, after) => samplesOf(9 + after, 1)),
    Array.from({ length: second }, () => 160),
  );
  beats(2 * second, () => call.onAudio(quiet));
  t.deepEqual([...told.keys()].slice(-2), [150, 155]);
});

test('does not deliver other calls early because of a voice in one call', (t) => {
  const { heard, beats, samplesOf } = startHeardSound();
  const talking = heard.of(1);
  const silent = heard.of(2);
  beats(4, () => {
    talking.onAudio(loud);
    silent.onAudio(quiet);
  });
  t.deepEqual([samplesOf(4, 1), samplesOf(4, 2)], [160, undefined]);
});

test('delivers a DTMF tone at once', (t) => {
  const { told, heard, beats } = startHeardSound();
  const call = heard.of(1);
  beats(1, () => {
    call.onAudio(quiet);
    call.onDigit('5');
  });
  t.deepEqual(told.get(1), { type: 'heard', audio: [], digits: [{ id: 1, digit: '5' }] });
});

test('delivers no audio of an ended call', (t) => {
  const { told, heard, beats } = startHeardSound();
  const call = heard.of(1);
  beats(2, () => call.onAudio(loud));
  heard.forget(1);
  beats(8, () => call.onAudio(loud));
  t.deepEqual([...told.keys()], [1, 2]);
});

test('delivers at once all audio that voice activity detection would accept', (t) => {
  t.true(quietDb < listening.voice.floorDb);
  t.true(quietDb < listening.beep.floorDb);
});

// Pacer

const setUpPacer = () => {
  let now = 0;
  let beats = 0;
  let waiting: { callback: () => void; at: number } | null = null;
  startPacer(() => (beats += 1), 20, {
    now: () => now,
    after(milliseconds, callback) {
      waiting = { callback, at: now + milliseconds };
      return () => {
        waiting = null;
      };
    },
  });
  return {
    beats: () => beats,
    dueAt: () => waiting?.at,
    /** Wakes up the pacer this many milliseconds late. */
    wake(lateMs = 0) {
      if (waiting === null) throw new Error('Nothing is due');
      now = waiting.at + lateMs;
      waiting.callback();
    },
  };
};

test('ticks every 20 ms without accumulated drift', (t) => {
  const pacer = setUpPacer();
  for (let turn = 0; turn < 5; turn += 1) pacer.wake(3);
  t.is(pacer.beats(), 5);
  t.is(pacer.dueAt(), 120);
});

test('runs missed ticks as soon as the thread wakes up', (t) => {
  const pacer = setUpPacer();
  pacer.wake(65);
  t.is(pacer.beats(), 4);
  t.is(pacer.dueAt(), 100);
});

test('skips ticks after a long stall and continues', (t) => {
  const pacer = setUpPacer();
  pacer.wake(5_000);
  t.is(pacer.beats(), 10);
  t.is(pacer.dueAt(), 5_040);
  pacer.wake();
  t.is(pacer.beats(), 11);
});

test('does not tick at an early wake-up', (t) => {
  const pacer = setUpPacer();
  pacer.wake(-1);
  t.is(pacer.beats(), 0);
  t.is(pacer.dueAt(), 20);
});

// Dozing

/**
 * Starts a thread whose next callback is due in a minute, and which answers messages. Resolves to the answers to two
 * messages.
 */
const answersOfDozingThread = async (mayDoze: boolean): Promise<unknown[]> => {
  const module = new URL('../../sip/media-thread/dozing-time.ts', import.meta.url).href;
  const memory = postedMemory();
  const thread = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ createDozingTime }) => {
      let looks = 0;
      const time = createDozingTime(new Int32Array(workerData.memory), () => {
        looks += 1;
        return workerData.mayDoze;
      });
      time.after(60_000, () => process.exit(1));
      parentPort.on('message', (message) => parentPort.postMessage({ message, looks }));
      parentPort.postMessage('ready');
    });`,
    { eval: true, workerData: { memory, mayDoze } },
  );
  await once(thread, 'message');
  const answers: unknown[] = [];
  const posted = new Int32Array(memory);
  if (mayDoze) await until('it dozes', () => wakeThread(posted) || undefined);
  for (const message of ['first', 'second']) {
    const answer = once(thread, 'message');
    thread.postMessage(message);
    wakeThread(posted);
    answers.push((await answer)[0]);
  }
  await thread.terminate();
  return answers;
};

test.serial('handles messages between two beats while it dozes', async (t) => {
  const answers = await answersOfDozingThread(true);
  t.like(answers, [{ message: 'first' }, { message: 'second' }]);
});

test.serial('leaves the waiting to the event loop while it may not doze', async (t) => {
  t.deepEqual(await answersOfDozingThread(false), [
    { message: 'first', looks: 1 },
    { message: 'second', looks: 1 },
  ]);
});

test.serial('dozes only while all calls have audio from FreeSWITCH', async (t) => {
  const opened: number[] = [];
  let wake: () => void = () => {};
  const sessions = createSessions({
    ports: { from: 25_600, to: 25_998 },
    time: {
      now: () => 0,
      after(_milliseconds, callback) {
        wake = callback;
        return () => {};
      },
    },
    tell: (message) => {
      if (message.type === 'opened') opened.push(message.port);
    },
  });
  t.teardown(sessions.closeAll);
  const freeSwitch = await startSpeaker(t);
  const ring = ringMemory(1_024);
  const address = '127.0.0.1';
  const unicast = { type: 'open unicast', address, from: address, ring, sampleRate: 8_000 } as const;
  sessions.take({ ...unicast, id: 1, silenceMs: 0 });
  t.false(sessions.mayDoze(), 'a port is being opened');
  const port = await until('it is open', () => opened[0]);
  t.false(sessions.mayDoze(), 'FreeSWITCH has sent no datagram');
  await freeSwitch.say(port, bytesOf(1));
  await until('it is connected', () => sessions.mayDoze() || undefined);
  wake();
  sessions.take({ type: 'open', id: 2, address, ring });
  await until('RTP is open', () => opened[1]);
  t.false(sessions.mayDoze(), 'there is RTP');
  sessions.take({ type: 'close', id: 2 });
  t.true(sessions.mayDoze());
});

// Media thread
// The real media thread, and the effect of its failure on calls.

/** A media thread that `breakDown` ends by an error outside of any session. */
const createBreakable = () => {
  const module = new URL('../../sip/media-thread/worker.ts', import.meta.url).href;
  const workers: Worker[] = [];
  const start: StartThread = (ports, on) => {
    const memory = postedMemory();
    const posted = new Int32Array(memory);
    const workerData: MediaThreadData = { ports, compileCache: null, posted: memory };
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
      import(${JSON.stringify(module)}).then(() => parentPort.on('message', ({ type }) => {
        if (type === 'break down') throw new Error('on purpose');
      }));`,
      { eval: true, workerData },
    );
    workers.push(worker);
    worker.on('message', on.message);
    worker.on('error', on.error);
    worker.on('exit', on.ended);
    const post = (message: unknown): void => {
      worker.postMessage(message);
      wakeThread(posted);
    };
    return { tell: post, end: () => worker.terminate() };
  };
  return { start, breakDown: () => workers.at(-1)?.postMessage({ type: 'break down' }) };
};

const startSoundThread = (t: ExecutionContext, ports: { from: number; to: number }) => {
  const logged: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line));
      done();
    },
  });
  const { start, breakDown } = createBreakable();
  const thread = createMediaThread({ ports, logger: pino({}, stream), start });
  t.teardown(() => thread.close());
  return { thread, logged, breakDown };
};

const call = async (t: ExecutionContext, thread: MediaThread) => {
  const options = { thread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs: 0 };
  const open = async (offer?: string): Promise<MediaEndpoint> => {
    const endpoint = await createDirectEndpoint(offer, { codecs: null, srtp: 'off' }, options);
    t.teardown(() => endpoint.destroy());
    return endpoint;
  };
  const caller = await open();
  const callee = await open(caller.localSdp);
  await caller.takeAnswer(callee.localSdp);
  const losses: (string | null)[] = [];
  callee.onLost((reason) => losses.push(reason));
  let heard = 0;
  let soundIsLost = false;
  const path = await callee.connect(
    {
      onLost: () => (soundIsLost = true),
      onAudio: (samples) => (heard += samples.length),
    },
    8_000,
  );
  return { path, losses, heard: () => heard, soundIsLost: () => soundIsLost, statistics: callee.statistics };
};

/** A packet to this target throws, like a programming error in the session of one call. */
const impossible = { address: '127.0.0.1', port: 70_000 };

const agreementWith = (remote: RtpAgreement['remote']): RtpAgreement => ({
  remote,
  remoteReports: remote,
  codec: 'PCMU',
  payloadType: 0,
  dtmfPayloadType: null,
  keys: null,
  receives: new Map(),
  isSending: true,
  isReceiving: true,
});

/** A thread that is ready, or ends, when the test says so. */
const createSlowThread = () => {
  const tells: ((message: FromMediaThread) => void)[] = [];
  const ends: (() => void)[] = [];
  const thread = createMediaThread({
    ports: { from: 24_400, to: 24_798 },
    logger: pino({ level: 'silent' }),
    start(_ports, on) {
      tells.push(on.message);
      ends.push(on.ended);
      return {
        tell(message) {
          if (message.type === 'open') on.message({ type: 'opened', id: message.id, port: 24_400 });
        },
        end: () => Promise.resolve(),
      };
    },
  });
  let isReady = false;
  const ready = thread.start().then(() => (isReady = true));
  return { thread, ready, isReady: () => isReady, tells, ends };
};

test('starts before the first call, is ready once its code is loaded, and serves the first call', async (t) => {
  const { thread, ready, isReady, tells } = createSlowThread();
  await allMicrotasks();
  t.false(isReady());
  tells[0]?.({ type: 'ready' });
  await ready;
  await thread.open('127.0.0.1');
  t.is(tells.length, 1);
});

test('does not wait for a thread that ended while starting, and the first call starts another', async (t) => {
  const { thread, ready, tells, ends } = createSlowThread();
  ends[0]?.();
  await ready;
  await thread.open('127.0.0.1');
  t.is(tells.length, 2);
});

/** A thread that has started before its lines, and the handlers of all threads. */
const createEarlyThread = () => {
  const handlers: Parameters<StartThread>[1][] = [];
  const early = startThreadEarly({ from: 24_400, to: 24_798 }, (_ports, on) => {
    handlers.push(on);
    return {
      tell(message) {
        if (message.type === 'open') on.message({ type: 'opened', id: message.id, port: 24_400 });
      },
      end: () => Promise.resolve(),
    };
  });
  const createThread = () =>
    createMediaThread({
      ports: { from: 24_400, to: 24_798 },
      logger: pino({ level: 'silent' }),
      start: early.startThread,
    });
  return { handlers, createThread };
};

test('lines use a thread that has started before them, and is ready by then', async (t) => {
  const { handlers, createThread } = createEarlyThread();
  handlers[0]?.message({ type: 'ready' });
  const thread = createThread();
  await thread.start();
  await thread.open('127.0.0.1');
  t.is(handlers.length, 1);
});

test('lines wait for a thread that has started before them and is not ready yet', async (t) => {
  const { handlers, createThread } = createEarlyThread();
  let isReady = false;
  const ready = createThread()
    .start()
    .then(() => (isReady = true));
  await allMicrotasks();
  t.false(isReady);
  handlers[0]?.message({ type: 'ready' });
  await ready;
  t.is(handlers.length, 1);
});

test('a thread that failed before its lines were there is replaced for the first call', async (t) => {
  const { handlers, createThread } = createEarlyThread();
  handlers[0]?.error(new Error('on purpose'));
  handlers[0]?.ended();
  const thread = createThread();
  await thread.start();
  await thread.open('127.0.0.1');
  t.is(handlers.length, 2);
});

test.serial(
  'ends the audio of all calls of a failed thread, and starts a new thread for the next call',
  async (t) => {
    const { thread, logged, breakDown } = startSoundThread(t, { from: 24_400, to: 24_798 });
    const first = await call(t, thread);
    await until('it is heard', () => first.heard() > 800 || undefined);
    breakDown();
    await until('it is lost', () => first.losses.length > 0 || undefined);
    t.deepEqual(first.losses, [null]);
    t.true(first.soundIsLost());
    t.regex(logged.join(''), /the media thread failed; the audio of its calls is lost/);
    t.notThrows(() => first.path.send(new Int16Array(160)));
    t.true(((await first.statistics())?.received.packets ?? 0) >= 0, 'the last that was told');

    const next = await call(t, thread);
    await until('the next one is heard', () => next.heard() > 800 || undefined);
    t.deepEqual([first.losses.length, next.losses.length], [1, 0]);
  },
);

test.serial('rejects a call that is being opened when its thread fails', async (t) => {
  const { thread, breakDown } = startSoundThread(t, { from: 24_800, to: 25_198 });
  await call(t, thread);
  breakDown();
  const opening = await Promise.allSettled(Array.from({ length: 20 }, () => thread.open('127.0.0.1')));
  // Frames before the error are lost with the thread; no caller waits forever.
  t.is(opening.length, 20);
  const later = await until('a new one opens', () => thread.open('127.0.0.1').catch(() => undefined));
  t.true(later.port > 0);
});

test.serial('ends the audio of one call whose session fails, and continues the others', async (t) => {
  const { thread, logged } = startSoundThread(t, { from: 26_000, to: 26_398 });
  const other = await call(t, thread);
  const failing = await thread.open('127.0.0.1');
  let losses = 0;
  failing.listen({ onAudio() {}, onDigit() {}, onLost: () => (losses += 1) });
  failing.agree(agreementWith(impossible));
  await until('it is lost', () => losses > 0 || undefined);
  const before = other.heard();
  await until('the other one is heard', () => other.heard() > before + 8_000 || undefined);
  t.deepEqual([losses, other.losses.length, other.soundIsLost()], [1, 0, false]);
  const entries = logged.filter((entry) => entry.includes('the media session of a call failed'));
  t.is(entries.length, 1);
  t.regex(entries[0] ?? '', /70000/);
  failing.close();
});

/** Sessions in this thread, and what they report. */
const startSessions = (t: ExecutionContext) => {
  const told: FromMediaThread[] = [];
  const sessions = createSessions({
    ports: { from: 26_400, to: 26_798 },
    time: { now: () => 0, after: () => () => {} },
    tell: (message) => void told.push(message),
  });
  t.teardown(sessions.closeAll);
  return {
    sessions,
    failed: () => told.flatMap((message) => (message.type === 'failed' ? [message.id] : [])),
    portOf: (id: number): Promise<number> =>
      until(
        'it is open',
        () => told.flatMap((one) => (one.type === 'opened' && one.id === id ? [one.port] : []))[0],
      ),
  };
};

test.serial('reports once the failed session of a message, and takes no further ones for it', async (t) => {
  const { sessions, failed, portOf } = startSessions(t);
  sessions.take({ type: 'open', id: 1, address: '127.0.0.1', ring: ringMemory(1_024) });
  await portOf(1);
  // An SRTP key of this length throws.
  const keys = { ours: new Uint8Array(3), theirs: new Uint8Array(3) };
  const agreement = { ...agreementWith({ address: '127.0.0.1', port: 9 }), keys };
  for (let times = 0; times < 2; times += 1) sessions.take({ type: 'agree', id: 1, agreement });
  sessions.take({ type: 'close', id: 1 });
  t.deepEqual(failed(), [1]);
});

test.serial('reports a session that fails at its first packet', async (t) => {
  const { sessions, failed, portOf } = startSessions(t);
  const freeSwitch = await startSpeaker(t);
  const ring = ringMemory(1_024);
  // A ring with a negative number of samples throws.
  new Int32Array(ring)[1] = -1;
  const address = '127.0.0.1';
  sessions.take({
    type: 'open unicast',
    id: 1,
    address,
    from: address,
    ring,
    sampleRate: 8_000,
    silenceMs: 0,
  });
  await freeSwitch.say(await portOf(1), bytesOf(1));
  await until('it has failed', () => failed().length > 0 || undefined);
  t.deepEqual(failed(), [1]);
});

test('reports the loss to a call that listens after its session has failed', async (t) => {
  const { thread, tells } = createSlowThread();
  const channel = await thread.open('127.0.0.1');
  tells[0]?.({ type: 'failed', id: 1, error: { message: 'on purpose', stack: undefined } });
  await t.notThrowsAsync(
    new Promise<void>((resolve) => channel.listen({ onAudio() {}, onDigit() {}, onLost: resolve })),
  );
});

// Lead

/** Sent frames at each of these moments, out of up to ten. */
const leaving = (
  isDue: (now: number, isVoice: boolean) => boolean,
  now: number,
  isVoice: boolean,
): number => {
  let left = 0;
  while (left < 10 && isDue(now, isVoice)) left += 1;
  return left;
};

test('sends a frame at each tick, even if one is a little early or late', (t) => {
  const { isDue } = createLead();
  for (const now of [0, 20, 39, 61, 80, 95, 120]) t.true(isDue(now, now % 40 === 0), `${now} ms`);
});

test('catches up on delayed speech by at most 40 ms', (t) => {
  const { isDue } = createLead();
  t.true(isDue(0, true));
  t.is(leaving(isDue, 1_000, true), 2);
  t.is(leaving(isDue, 1_020, true), 1);
});

test('uses up the lead during a pause in the audio and continues with silence', (t) => {
  const { isDue } = createLead();
  leaving(isDue, 0, true);
  const beats = [20, 40, 60, 80].map((now) => isDue(now, false));
  t.deepEqual(beats, [false, true, true, true]);
});

test('never sends silence ahead of time', (t) => {
  const { isDue } = createLead();
  t.is(leaving(isDue, 0, false), 1);
  t.is(leaving(isDue, 500, false), 1);
});

// Unicast session

const frameBytes = 320;

/** A sender that behaves like FreeSWITCH and sends to a session from this address. */
const startSpeaker = async (t: ExecutionContext, address = '127.0.0.1') => {
  const socket: Socket = createSocket('udp4');
  const frames: Buffer[] = [];
  socket.on('message', (datagram) => frames.push(datagram));
  socket.bind(0, address);
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return {
    frames,
    say: (port: number, bytes: Uint8Array) =>
      new Promise<void>((resolve) => {
        socket.send(bytes, port, '127.0.0.1', () => resolve());
      }),
  };
};

/** `onPacket` is called with the audio of each packet. */
const startSession = async (
  t: ExecutionContext,
  sampleRate: SampleRate = 8_000,
  onPacket: () => void = () => {},
) => {
  let now = 0;
  let begun = 0;
  const heard: Int16Array[] = [];
  const silences: boolean[] = [];
  const errors: unknown[] = [];
  let short = 0;
  const sound = new SampleRing(ringMemory(1_024));
  const sockets: Socket[] = [];
  const session = await openUnicastSession(
    { address: '127.0.0.1', from: '127.0.0.1', sampleRate, silenceMs: 140, now: () => now },
    sound,
    {
      onBegun: () => (begun += 1),
      onAudio(samples) {
        heard.push(samples);
        onPacket();
      },
      onSilence: (isSilent) => silences.push(isSilent),
      onShortFrames: () => (short += 1),
    },
    catchingInto(errors),
    async (address, port) => {
      const socket = await openUdpSocket(address, port);
      sockets.push(socket);
      return socket;
    },
  );
  t.teardown(session.close);
  return {
    session,
    errors,
    sound,
    heard,
    silences,
    short: () => short,
    begun: () => begun,
    /** Delivers a datagram with this source port, which no socket need have. */
    receiveFrom(port: number, bytes: Uint8Array): void {
      for (const socket of sockets)
        socket.emit('message', Buffer.from(bytes), { address: '127.0.0.1', port, family: 'IPv4' });
    },
    beat(milliseconds = 20): void {
      now += milliseconds;
      session.tick();
    },
  };
};

test.serial('passes an error of a packet to its guard', async (t) => {
  const error = new Error('on purpose');
  const { session, errors } = await startSession(t, 8_000, () => {
    throw error;
  });
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesOf(1));
  await until('it is reported', () => errors.length > 0 || undefined);
  t.deepEqual(errors, [error]);
});

const bytesOf = (...samples: number[]): Uint8Array => new Uint8Array(Int16Array.from(samples).buffer);

test.serial(
  'converts received bytes into samples, and sends a frame of speech or silence at once and at each tick',
  async (t) => {
    const { session, sound, heard, begun, beat } = await startSession(t);
    const freeSwitch = await startSpeaker(t);
    sound.write(new Int16Array(200).fill(7));
    await freeSwitch.say(session.port, bytesOf(1, -2, 32_767));
    await until('it is heard', () => heard.length === 1 || undefined);
    t.deepEqual([...(heard[0] ?? [])], [1, -2, 32_767]);
    t.is(begun(), 1);

    await until('a frame comes', () => freeSwitch.frames.length > 0 || undefined);
    await until('frames come', () => {
      if (freeSwitch.frames.length < 3) beat();
      return freeSwitch.frames.length >= 3 || undefined;
    });
    const [first, second, third] = freeSwitch.frames.map(
      (each) => new Int16Array(Uint8Array.from(each).buffer),
    );
    t.deepEqual(first, new Int16Array(160).fill(7));
    t.deepEqual(second, new Int16Array(160).fill(7, 0, 40));
    t.deepEqual(third, new Int16Array(160));
    t.true(freeSwitch.frames.every(({ length }) => length === frameBytes));
  },
);

test.serial('keeps the queue and sends no audio before the first packet has arrived', async (t) => {
  const { session, sound, heard, beat } = await startSession(t);
  sound.write(new Int16Array(200).fill(7));
  for (let beats = 0; beats < 5; beats += 1) beat();
  t.is(sound.waiting, 200);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesOf(1));
  await until('it is heard', () => heard.length === 1 || undefined);
  await until('a frame comes', () => {
    beat();
    return freeSwitch.frames.length > 0 || undefined;
  });
  t.is(freeSwitch.frames[0]?.readInt16LE(0), 7);
});

test.serial('ignores packets from another address than the first', async (t) => {
  const { session, heard, begun } = await startSession(t);
  const stranger = await startSpeaker(t, '127.0.0.2');
  await stranger.say(session.port, bytesOf(1));
  const freeSwitch = await startSpeaker(t);
  const second = await startSpeaker(t);
  // Both packets are in the socket before either is read.
  await Promise.all([freeSwitch.say(session.port, bytesOf(2)), second.say(session.port, bytesOf(3))]);
  await until('it is heard', () => heard.length === 1 || undefined);
  for (const who of [stranger, second]) await who.say(session.port, bytesOf(3));
  await freeSwitch.say(session.port, bytesOf(4));
  await until('it is heard', () => heard.length === 2 || undefined);
  t.deepEqual(
    heard.flatMap((samples) => [...samples]),
    [2, 4],
  );
  t.is(begun(), 1);
});

test.serial('ignores packets from port 0, to which nothing can be sent', async (t) => {
  const { session, heard, begun, receiveFrom } = await startSession(t);
  // No socket sends from port 0, but a forged packet may state it.
  t.notThrows(() => receiveFrom(0, bytesOf(1)));
  t.deepEqual([begun(), heard], [0, []]);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesOf(2));
  await until('it is heard', () => heard.length === 1 || undefined);
  t.deepEqual([...(heard[0] ?? [])], [2]);
});

test.serial('ignores empty and odd-length datagrams', async (t) => {
  const { session, heard } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  for (const bytes of [new Uint8Array(), Uint8Array.of(5), Uint8Array.of(5, 0, 9), bytesOf(6)])
    await freeSwitch.say(session.port, bytes);
  await until('the last is heard', () => heard.at(-1)?.[0] === 6 || undefined);
  t.deepEqual(
    heard.flatMap((samples) => [...samples]),
    [5, 6],
  );
});

/** The bytes of a frame of this duration at 8000 Hz. */
const bytesFor = (milliseconds: number, sample: number): Uint8Array =>
  bytesOf(...Array.from({ length: 8 * milliseconds }, () => sample));

/** Frames that FreeSWITCH inserts when packets are missing. */
const filled = -1;

for (const [packetMs, ticks] of [
  [20, [20, 20, 20]],
  [40, [40, filled, 40, filled, 40, filled]],
  [30, [30, filled, 30, 30, filled, 30]],
] as const)
  test.serial(`drops frames that FreeSWITCH inserts between packets of ${packetMs} ms`, async (t) => {
    const { session, heard } = await startSession(t);
    const freeSwitch = await startSpeaker(t);
    for (const tick of ticks)
      await freeSwitch.say(session.port, tick === filled ? bytesFor(20, -1) : bytesFor(tick, 7));
    await freeSwitch.say(session.port, bytesOf(9));
    await until('the last is heard', () => heard.at(-1)?.[0] === 9 || undefined);
    const packets = ticks.filter((tick) => tick !== filled).length;
    const packet = new Int16Array(8 * packetMs).fill(7);
    t.deepEqual(
      heard.slice(0, -1),
      Array.from({ length: packets }, () => packet),
    );
  });

test.serial('keeps frames that FreeSWITCH inserts during a pause', async (t) => {
  const { session, heard } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesFor(40, 7));
  for (let frames = 0; frames < 5; frames += 1) await freeSwitch.say(session.port, bytesFor(20, -1));
  await until('all is heard', () => heard.length >= 5 || undefined);
  t.is(heard.length, 5, 'the first was in the packet before it');
});

test.serial('reports once that frames of FreeSWITCH are shorter than 20 ms', async (t) => {
  const { session, heard, short } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  const say = async (...lengths: number[]): Promise<void> => {
    const before = heard.length;
    for (const milliseconds of lengths) await freeSwitch.say(session.port, bytesFor(milliseconds, 7));
    await until('it is heard', () => heard.length === before + lengths.length || undefined);
  };
  await say(10, 10, 10, 10, 20, 10);
  t.is(short(), 0);
  await say(10, 10, 10, 10, 10, 10);
  t.is(short(), 1);
});

test.serial('reports once that FreeSWITCH sends no packets, and reports their return', async (t) => {
  const { session, silences, heard, beat } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  const speak = async (): Promise<void> => {
    const before = heard.length;
    await freeSwitch.say(session.port, bytesOf(1));
    await until('it is heard', () => heard.length > before || undefined);
  };
  for (let beats = 0; beats < 20; beats += 1) beat();
  t.deepEqual(silences, [], 'before the first datagram');
  await speak();
  await until('frames go out', () => {
    beat();
    return freeSwitch.frames.length > 0 || undefined;
  });
  await speak();
  for (let beats = 0; beats < 6; beats += 1) beat();
  t.deepEqual(silences, []);
  for (let beats = 0; beats < 20; beats += 1) beat();
  t.deepEqual(silences, [true]);
  await speak();
  t.deepEqual(silences, [true, false]);
});

test.serial('does not report missing packets of FreeSWITCH after a stall of the thread itself', async (t) => {
  const { session, silences, heard, beat } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesOf(1));
  await until('it is heard', () => heard.length === 1 || undefined);
  await until('frames go out', () => {
    beat();
    return freeSwitch.frames.length > 0 || undefined;
  });
  await freeSwitch.say(session.port, bytesOf(1));
  await until('it is heard', () => heard.length === 2 || undefined);
  // Packets that arrived during the stall are still in the socket.
  beat(2_000);
  for (let madeUp = 0; madeUp < 9; madeUp += 1) beat(0);
  t.deepEqual(silences, []);
});

test.serial('ignores errors of packets to a closed port', async (t) => {
  const { session, heard, beat } = await startSession(t);
  const gone = createSocket('udp4').bind(0, '127.0.0.1');
  await once(gone, 'listening');
  gone.send(bytesOf(1), session.port, '127.0.0.1');
  await until('it is heard', () => heard.length === 1 || undefined);
  gone.close();
  for (let beats = 0; beats < 20; beats += 1) {
    beat();
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is(heard.length, 1);
});

/** Audio sessions whose packets arrive at one socket, with a simulated clock. */
const startCountedSessions = async (t: ExecutionContext, count: number) => {
  const ear = createSocket('udp4').bind(0, '127.0.0.1');
  t.teardown(() => ear.close());
  await once(ear, 'listening');
  let packets = 0;
  ear.on('message', () => (packets += 1));
  let now = 0;
  let reads = 0;
  /** Number of the reading of the clock before which the thread is frozen for a minute. */
  let frozenAt = Infinity;
  let wake: () => void = () => {};
  const told: FromMediaThread['type'][] = [];
  const sessions = createSessions({
    ports: { from: 25_200, to: 25_598 },
    time: {
      now() {
        reads += 1;
        if (reads === frozenAt) now += 60_000;
        return now;
      },
      after(_milliseconds, callback) {
        wake = callback;
        return () => {};
      },
    },
    tell: ({ type }) => void told.push(type),
  });
  t.teardown(sessions.closeAll);
  const remote = { address: '127.0.0.1', port: ear.address().port };
  for (let id = 1; id <= count; id += 1) {
    sessions.take({ type: 'open', id, address: '127.0.0.1', ring: ringMemory(1_024) });
    await until('it is open', () => told.filter((type) => type === 'opened').length === id || undefined);
    sessions.take({
      type: 'agree',
      id,
      agreement: {
        remote,
        remoteReports: { ...remote, port: 9 },
        codec: 'PCMU',
        payloadType: 0,
        dtmfPayloadType: null,
        keys: null,
        receives: new Map(),
        isSending: true,
        isReceiving: true,
      },
    });
  }
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    wake();
  };
  return {
    sessions,
    pass,
    /** Lets 20 ms pass, and freezes the thread before the last reading of the clock in a tick. */
    freezeInTick(): void {
      const before = reads;
      pass(20);
      frozenAt = reads + reads - before;
      pass(20);
    },
    packets: () => packets,
    stalls: () => told.filter((type) => type === 'stalled').length,
  };
};

test.serial('keeps nothing of a session with FreeSWITCH that could not be opened', async (t) => {
  const told: FromMediaThread[] = [];
  const tell = (message: FromMediaThread): void => void told.push(message);
  const heard = createHeard(tell);
  const kept = new Set<number>();
  const sessions = createSessions(
    { ports: { from: 25_200, to: 25_598 }, time: { now: () => 0, after: () => () => {} }, tell },
    {
      ...heard,
      of(id) {
        kept.add(id);
        return heard.of(id);
      },
      forget(id) {
        kept.delete(id);
        heard.forget(id);
      },
    },
  );
  t.teardown(sessions.closeAll);
  sessions.take({
    type: 'open unicast',
    id: 1,
    // An address of documentation (RFC 5737), which no machine has.
    address: '192.0.2.1',
    from: '127.0.0.1',
    ring: ringMemory(1_024),
    sampleRate: 8_000,
    silenceMs: 140,
  });
  t.deepEqual([...kept], [1]);
  await until('it is refused', () => told.some(({ type }) => type === 'refused') || undefined);
  t.deepEqual([...kept], []);
});

test.serial('sends no audio after a stall of the thread until the sessions are resumed', async (t) => {
  const { sessions, pass, packets, stalls } = await startCountedSessions(t, 1);
  for (let ticks = 0; ticks < 5; ticks += 1) pass(20);
  await until('it is heard', () => packets() === 5 || undefined);
  pass(60_000);
  for (let ticks = 0; ticks < 5; ticks += 1) pass(20);
  t.is(stalls(), 1);
  sessions.take({ type: 'resume' });
  for (let ticks = 0; ticks < 5; ticks += 1) pass(20);
  await until('it is heard again', () => packets() >= 10 || undefined);
  t.is(packets(), 10);
});

test.serial('sends no further audio of a tick during which the thread was frozen', async (t) => {
  const { sessions, pass, freezeInTick, packets, stalls } = await startCountedSessions(t, 3);
  freezeInTick();
  t.is(stalls(), 1);
  // The ticks that were missed.
  pass(20);
  sessions.take({ type: 'resume' });
  pass(20);
  await until('all is heard', () => packets() >= 8 || undefined);
  await allMicrotasks();
  t.is(packets(), 8, 'the last session sends in the tick before and in the one after');
});
