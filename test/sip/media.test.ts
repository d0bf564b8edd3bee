/** Audio paths: codecs, resampling, rings, the media thread and unicast sessions. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { array, assert, integer, property } from 'fast-check';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { listening } from '#config/listening-policy.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { createDirectEndpoint } from '#sip/rtp/direct-endpoint.ts';
import { pcma, pcmu } from '#sip/rtp/g711.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { createAudioPath } from '#sip/audio/audio-path.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import { createHeard } from '#sip/media-thread/incoming-audio.ts';
import { startPacer } from '#sip/media-thread/pacer.ts';
import type { FromMediaThread } from '#sip/media-thread/media-thread-messages.ts';
import { createMediaThread, ringSamples, type MediaThread } from '#sip/media-thread/media-thread.ts';
import { createLead } from '#sip/freeswitch/unicast-lead.ts';
import { openUnicastSession } from '#sip/freeswitch/unicast-session.ts';
import { loadResampler, resamplingReach } from '#sip/audio/resampler.ts';
import { quietDb, type SampleRate } from '#sip/audio/samples.ts';
import { steadyClock } from '#src/clocks.ts';
import { pathInto } from '#test/helpers/path-into.ts';
import { until } from '#test/helpers/until.ts';

// Awaited before the first test: AVA accepts only tests that are declared synchronously.
const resample = await loadResampler();

// G.711

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

for (const [name, codec] of Object.entries({ PCMU: pcmu, PCMA: pcma })) {
  test(`${name}: each code decodes to a sample that encodes to the same code`, (t) => {
    const samples = codec.decode(everyByte);
    const codes = new Uint8Array(256);
    codec.encode(samples, codes, 0);
    // Two codes of PCMU stand for zero.
    const again = codec.decode(codes);
    t.deepEqual(again, samples);
  });

  test(`${name}: decoding differs from the sample by at most half a step`, (t) => {
    const samples = Int16Array.from({ length: 64_001 }, (_, index) => index - 32_000);
    const codes = new Uint8Array(samples.length);
    codec.encode(samples, codes, 0);
    const worst = codec
      .decode(codes)
      .reduce(
        (most, decoded, index) =>
          Math.max(
            most,
            Math.abs(decoded - (samples[index] ?? 0)) / Math.max(Math.abs(samples[index] ?? 0), 256),
          ),
        0,
      );
    t.true(worst < 0.044, String(worst));
  });
}

/** ITU-T G.711 tables 1 and 2: some of their values, on 16 bits. */
test('codes match the tables of G.711', (t) => {
  t.deepEqual(
    Array.from(pcmu.decode(Uint8Array.of(0xff, 0x80, 0x00, 0xf0, 0x7f))),
    [0, 32_124, -32_124, 120, 0],
  );
  t.deepEqual(Array.from(pcma.decode(Uint8Array.of(0xd5, 0xaa, 0x2a, 0x55))), [8, 32_256, -32_256, -8]);
});

test('encodes audio behind existing bytes', (t) => {
  const bytes = new Uint8Array(4);
  pcmu.encode(Int16Array.of(0, 32_124), bytes, 2);
  t.deepEqual(Array.from(bytes), [0, 0, 0xff, 0x80]);
});

// Resampler

const tone = (hertz: number, rate: number): Int16Array =>
  Int16Array.from({ length: rate / 2 }, (_, index) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );

/** Root mean square, without the ends. */
const level = (samples: Int16Array): number => {
  const middle = samples.subarray(200, -200);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
};

/** The gain of a tone, in dB. */
const gain = (hertz: number, from: number, to: number): number =>
  20 * Math.log10(level(resample(tone(hertz, from), from, to)) / level(tone(hertz, from)));

for (const rate of [8_000, 22_050, 24_000, 48_000])
  test.serial(`a tone of 1000 Hz keeps its pitch from ${rate} to 16000 Hz`, (t) => {
    const result = resample(tone(1_000, rate), rate, 16_000);
    const expected = tone(1_000, 16_000);
    t.is(result.length, expected.length);
    const difference = level(result.map((sample, index) => sample - (expected[index] ?? 0)));
    t.true(difference < level(expected) / 50, `${difference}`);
  });

for (const rate of [16_000, 22_050, 24_000, 44_100, 48_000])
  test.serial(`keeps the loudness of the telephone band from ${rate} Hz without aliasing`, (t) => {
    for (const hertz of [300, 1_000, 3_000, 3_400])
      t.true(Math.abs(gain(hertz, rate, 8_000)) < 0.1, `${hertz} Hz: ${gain(hertz, rate, 8_000)} dB`);
    for (const hertz of [4_400, 5_000, 7_000])
      t.true(gain(hertz, rate, 8_000) < -80, `${hertz} Hz: ${gain(hertz, rate, 8_000)} dB`);
  });

test.serial('resamples audio of any length, also at block limits', (t) => {
  const block = 8_192;
  for (const length of [0, 1, 7, block - 1, block, block + 1, 3 * block, 30_000])
    for (const [from, to] of [
      [24_000, 8_000],
      [22_050, 8_000],
      [8_000, 24_000],
      [19_846, 16_000],
    ] as const)
      t.is(resample(new Int16Array(length), from, to).length, Math.floor((length * to) / from));
});

test.serial('a sample depends only on samples within reach', (t) => {
  for (const rate of [16_000, 22_050, 24_000, 48_000]) {
    const sound = tone(700, rate);
    const reach = resamplingReach(rate, 8_000);
    const changed = sound.map((sample, index) => (index > 4_000 + reach ? 32_767 : sample));
    const until = Math.floor((4_000 * 8_000) / rate);
    t.deepEqual(
      resample(changed, rate, 8_000).subarray(0, until),
      resample(sound, rate, 8_000).subarray(0, until),
    );
  }
});

test.serial('audio does not leak into the next stream of the same rates', (t) => {
  const sound = tone(700, 24_000);
  const alone = resample(sound, 24_000, 8_000);
  for (let others = 0; others < 40; others += 1) resample(tone(440, 24_000), 24_000 + others, 8_000);
  t.deepEqual(resample(sound, 24_000, 8_000), alone);
  t.deepEqual(resample(sound, 24_000, 8_000), alone);
});

test.serial('clips loud samples instead of wrapping around', (t) => {
  const square = Int16Array.from({ length: 2_000 }, (_, index) => (index % 100 < 50 ? 32_767 : -32_768));
  const result = resample(square, 7_000, 10_000);
  t.true(result.subarray(10, 60).every((sample) => sample > 0));
});

test.serial('equal rates leave the samples unchanged', (t) => {
  const samples = tone(440, 16_000);
  t.is(resample(samples, 16_000, 16_000), samples);
});

// Audio path

/** A clock, and the time of a line by this clock. */
const setUpTime = () => {
  const clock = new SimulatedClock();
  return { clock, time: createLineTime(clock, 1) };
};

const rising = (from: number, length: number): Int16Array =>
  Int16Array.from({ length }, (_, index) => from + index);

test('plays every sample once and in order over successive rings, and then notifies the waiting callers', (t) => {
  assert(
    property(
      array(integer({ min: 0, max: 30 }), { maxLength: 12 }),
      array(integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 4 }),
      (lengths, plays) => {
        const { clock, time } = setUpTime();
        const path = createAudioPath(8_000, time);
        const played: number[] = [];
        const notified: [number, number][] = [];
        let ring = new SampleRing(ringMemory(32));
        const play = (samples: number): void => {
          const frame = new Int16Array(samples);
          played.push(...frame.subarray(0, ring.read(frame)));
          clock.increment(500);
        };
        path.connect(ring, 8_000);
        let total = 0;
        for (const length of lengths) {
          path.send(rising(total, length));
          total += length;
          const end = total;
          path.whenPlayed(() => notified.push([end, played.length]));
          play(2);
        }
        for (const samples of plays) {
          play(samples);
          path.disconnect();
          t.is(path.waiting(), total - played.length);
          ring = new SampleRing(ringMemory(32));
          path.connect(ring, 8_000);
        }
        while (path.waiting() > 0) play(16);
        clock.increment(500);
        t.deepEqual(played, Array.from(rising(0, total)));
        t.is(notified.length, lengths.length);
        for (const [end, at] of notified) t.true(at >= end, `${at} before ${end}`);
      },
    ),
  );
});

test('withdrawn audio is not played by the next ring', (t) => {
  const { time } = setUpTime();
  const path = createAudioPath(8_000, time);
  const [first, next] = [new SampleRing(ringMemory(32)), new SampleRing(ringMemory(32))];
  path.connect(first, 8_000);
  path.send(new Int16Array(10).fill(1));
  path.whenPlayed(() => t.fail('it was taken back'));
  first.read(new Int16Array(4));
  t.is(path.waiting(), 6);
  t.is(path.takeBack(), 6);
  path.disconnect();
  path.connect(next, 8_000);
  path.send(new Int16Array(2).fill(2));
  const frame = new Int16Array(9);
  t.deepEqual(frame.slice(0, next.read(frame)), Int16Array.of(2, 2));
});

test('withdraws all waiting audio of a path without a ring', (t) => {
  const { time } = setUpTime();
  const path = createAudioPath(8_000, time);
  path.send(new Int16Array(100));
  path.whenPlayed(() => t.fail('it was not played'));
  t.is(path.waiting(), 100);
  t.is(path.takeBack(), 100);
  t.is(path.waiting(), 0);
});

test.serial('a ring of another rate gets the rest of the audio, counted at the rate of the call', (t) => {
  const { clock, time } = setUpTime();
  const path = createAudioPath(16_000, time, resample);
  const [wide, narrow] = [new SampleRing(ringMemory(16_384)), new SampleRing(ringMemory(16_384))];
  let isPlayed = false;
  path.connect(wide, 16_000);
  path.send(new Int16Array(16_000).fill(1_000));
  path.whenPlayed(() => (isPlayed = true));
  wide.read(new Int16Array(4_000));
  path.disconnect();
  t.is(path.waiting(), 12_000);
  path.connect(narrow, 8_000);
  // The resampler keeps the last few milliseconds for what follows.
  t.true(Math.abs(narrow.waiting - 6_000) < 100, String(narrow.waiting));
  const frame = new Int16Array(160);
  for (let beats = 0; beats < 50; beats += 1) {
    narrow.read(frame);
    if (beats === 10) t.true(Math.abs(path.waiting() - 2 * narrow.waiting) <= 1);
    clock.increment(20);
  }
  t.is(path.waiting(), 0);
  t.true(isPlayed);
});

test('a ring of another rate is refused without a resampler', (t) => {
  const path = createAudioPath(8_000, setUpTime().time);
  t.throws(() => path.connect(new SampleRing(ringMemory(32)), 16_000), {
    message: /8000 samples per second/,
  });
});

const setUpPath = () => {
  const clock = new SimulatedClock();
  const time = createLineTime(
    {
      now: () => clock.now(),
      setTimeout: clock.setTimeout.bind(clock),
      clearTimeout: (timer) => clock.clearTimeout(Number(timer)),
    },
    1,
  );
  const ring = new SampleRing(ringMemory(16_384));
  const marks: string[] = [];
  const path = pathInto(ring, 8_000, time);
  const mark = (name: string): void => path.whenPlayed(() => marks.push(name));
  /** This many samples are sent, as the media thread takes them. */
  const sound = (milliseconds: number): void => {
    const frame = new Int16Array(160);
    for (let at = 0; at < milliseconds; at += 20) {
      ring.read(frame);
      clock.increment(20);
    }
  };
  return { ring, marks, path, mark, sound };
};

const second = new Int16Array(8_000).fill(1);

test('a mark fires when all audio before it was sent', (t) => {
  const { marks, mark, path, sound } = setUpPath();
  path.send(second);
  mark('said');
  sound(980);
  t.deepEqual(marks, []);
  sound(60);
  t.deepEqual(marks, ['said']);
});

test('a mark with no audio before it fires at once', (t) => {
  const { marks, mark } = setUpPath();
  mark('now');
  t.deepEqual(marks, ['now']);
});

test('sends audio longer than the ring in order as space becomes free', (t) => {
  const { marks, mark, path, sound, ring } = setUpPath();
  for (let seconds = 0; seconds < 5; seconds += 1) path.send(second);
  mark('end');
  t.true(ring.waiting <= 16_384);
  sound(4_900);
  t.deepEqual(marks, []);
  sound(1_200);
  t.deepEqual(marks, ['end']);
  t.is(ring.waiting, 0);
});

test('counts withdrawn audio as unplayed and plays later audio', (t) => {
  const { marks, mark, path, sound, ring } = setUpPath();
  for (let seconds = 0; seconds < 5; seconds += 1) path.send(second);
  mark('first');
  sound(100);
  t.is(path.waiting(), 39_200);
  t.is(path.takeBack(), 39_200);
  t.is(path.waiting(), 0);
  t.is(ring.waiting, 0);
  path.send(second);
  mark('second');
  sound(1_100);
  t.deepEqual(marks, ['second']);
});

test('a closed path sends no audio and calls no callbacks', (t) => {
  const { marks, mark, path, sound, ring } = setUpPath();
  path.send(second);
  mark('never');
  path.close();
  sound(2_000);
  t.is(ring.waiting, 0);
  t.deepEqual(marks, []);
});

for (const rate of [8_000, 16_000] as const)
  test(`audio longer than the ring has no gap at ${rate} samples a second`, (t) => {
    const clock = new SimulatedClock();
    const time = createLineTime(clock, 1);
    const ring = new SampleRing(ringMemory(ringSamples));
    const path = pathInto(ring, rate, time);
    const frame = new Int16Array(rate / 50);
    path.send(new Int16Array(10 * rate).fill(1));
    for (let beat = 0; beat < 500; beat += 1) {
      t.is(ring.read(frame), frame.length, `at beat ${beat}`);
      clock.increment(20);
    }
  });

// Sample ring

const counting = (from: number, count: number): Int16Array =>
  Int16Array.from({ length: count }, (_, index) => from + index);

const readAll = (ring: SampleRing, count: number): number[] => {
  const frame = new Int16Array(count);
  return Array.from(frame.subarray(0, ring.read(frame)));
};

test.serial('reads audio in written order, across the end of the memory, too', (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 6)), 6);
  t.deepEqual(readAll(ring, 4), [0, 1, 2, 3]);
  t.is(ring.write(counting(6, 5)), 5);
  t.is(ring.waiting, 7);
  t.deepEqual(readAll(ring, 20), [4, 5, 6, 7, 8, 9, 10]);
  t.deepEqual(readAll(ring, 20), []);
});

test.serial('writes only as much as fits, without overwriting', (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 12)), 8);
  t.is(ring.write(counting(50, 1)), 0);
  t.deepEqual(readAll(ring, 12), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test.serial('withdraws unread audio and counts it to the sample', (t) => {
  const ring = new SampleRing(ringMemory(16));
  ring.write(counting(0, 10));
  readAll(ring, 3);
  t.is(ring.takeBack(), 7);
  t.is(ring.takeBack(), 0);
  ring.write(counting(40, 2));
  t.deepEqual(readAll(ring, 16), [40, 41]);
});

test.serial('counts positions beyond 32 bits', (t) => {
  const memory = ringMemory(8);
  new Int32Array(memory, 0, 2).fill(0x7ffffffc);
  const ring = new SampleRing(memory);
  ring.write(counting(0, 8));
  t.is(ring.waiting, 8);
  t.deepEqual(readAll(ring, 5), [0, 1, 2, 3, 4]);
  t.is(ring.takeBack(), 3);
  t.is(ring.room, 8);
});

test.serial('each sample is either read or withdrawn between two threads', async (t) => {
  const memory = ringMemory(4_096);
  const ring = new SampleRing(memory);
  const reader = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(workerData.url).then(({ SampleRing }) => {
       const ring = new SampleRing(workerData.memory);
       const frame = new Int16Array(160);
       let read = 0;
       let isOver = false;
       parentPort.on('message', () => (isOver = true));
       parentPort.postMessage('ready');
       const go = () => {
         for (let turn = 0; turn < 50; turn += 1) read += ring.read(frame);
         if (isOver && ring.waiting === 0) { parentPort.postMessage(read); process.exit(); }
         setImmediate(go);
       };
       go();
     });`,
    {
      eval: true,
      workerData: { memory, url: new URL('../../sip/audio/sample-ring.ts', import.meta.url).href },
    },
  );
  const told = (): Promise<unknown> => new Promise((resolve) => reader.once('message', resolve));
  await told();
  let written = 0;
  let takenBack = 0;
  for (let turn = 0; turn < 20_000; turn += 1) {
    written += ring.write(counting(0, 100 + (turn % 200)));
    if (turn % 3 === 0) takenBack += ring.takeBack();
  }
  const answer = told();
  reader.postMessage('over');
  t.is(Number(await answer) + takenBack, written);
  t.true(takenBack > 0);
});

test.serial('the size of a ring is a power of two', (t) => {
  t.throws(() => ringMemory(100), { instanceOf: RangeError });
});

// Thread priority

/** The nice value of each thread of this process (proc(5), /proc/pid/stat, field 19). */
const niceOfThreads = (): number[] =>
  readdirSync('/proc/self/task').flatMap((thread) => {
    try {
      const [, behindName = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ');
      return [Number(behindName.split(' ')[16])];
    } catch {
      // The thread has ended meanwhile: other tests of this process have threads as well.
      return [];
    }
  });

test.serial('raises the priority of a single thread and survives missing permission', async (t) => {
  if (process.platform !== 'linux') {
    t.pass();
    return;
  }
  const before = niceOfThreads();
  const module = new URL('../../sip/media-thread/thread-priority.ts', import.meta.url).href;
  const thread = new Worker(
    `const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ goBeforeOthers }) => parentPort.postMessage(goBeforeOthers()));
    parentPort.on('message', () => parentPort.close());`,
    { eval: true },
  );
  const [isBefore] = await once(thread, 'message');
  const urgent = niceOfThreads().filter((nice) => nice === -10).length;
  t.is(urgent - before.filter((nice) => nice === -10).length, isBefore === true ? 1 : 0);
  if (process.getuid?.() === 0) t.true(isBefore, 'root may');
  const ended = once(thread, 'exit');
  thread.postMessage('end');
  await ended;
});

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
    /** Runs this many ticks, each with what `frame` makes for the calls. */
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

test('delivers a possible voice at once after the silence before it, and so the silence after it', (t) => {
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

test('a voice in one call does not hurry other calls', (t) => {
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

test('delivers no audio of a call that is over', (t) => {
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
    /** Wakes the pacer up this many milliseconds after it was due. */
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

test('catches up missed ticks', (t) => {
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

test('an early wake-up does not tick', (t) => {
  const pacer = setUpPacer();
  pacer.wake(-1);
  t.is(pacer.beats(), 0);
  t.is(pacer.dueAt(), 20);
});

// Media thread
// The real media thread, and the effect of its failure on calls.

const startSoundThread = (t: ExecutionContext, ports: { from: number; to: number }) => {
  const logged: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line));
      done();
    },
  });
  const thread = createMediaThread({ ports, logger: pino({}, stream) });
  t.teardown(() => thread.close());
  return { thread, logged };
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

/** A packet to this target throws: a programming error that ends the thread. */
const breakDown = async (thread: MediaThread): Promise<void> => {
  const channel = await thread.open('127.0.0.1');
  channel.agree({
    remote: { address: '127.0.0.1', port: 70_000 },
    remoteReports: { address: '127.0.0.1', port: 70_000 },
    codec: 'PCMU',
    payloadType: 0,
    dtmfPayloadType: null,
    keys: null,
    receives: new Map(),
    isSending: true,
    isReceiving: true,
  });
};

test.serial('a failed thread ends the audio of its calls, and the next call gets a new thread', async (t) => {
  const { thread, logged } = startSoundThread(t, { from: 24_400, to: 24_798 });
  const first = await call(t, thread);
  await until('it is heard', () => first.heard() > 800 || undefined);
  await breakDown(thread);
  await until('it is lost', () => first.losses.length > 0 || undefined);
  t.deepEqual(first.losses, [null]);
  t.true(first.soundIsLost());
  t.regex(logged.join(''), /the media thread has failed/);
  t.notThrows(() => first.path.send(new Int16Array(160)));
  t.true(((await first.statistics())?.received.packets ?? 0) >= 0, 'the last that was told');

  const next = await call(t, thread);
  await until('the next one is heard', () => next.heard() > 800 || undefined);
  t.deepEqual([first.losses.length, next.losses.length], [1, 0]);
});

test.serial('a thread that fails while a call is being opened rejects it', async (t) => {
  const { thread } = startSoundThread(t, { from: 24_800, to: 25_198 });
  await call(t, thread);
  await breakDown(thread);
  const opening = await Promise.allSettled(Array.from({ length: 20 }, () => thread.open('127.0.0.1')));
  // Frames before the error are lost with the thread; no caller waits forever.
  t.is(opening.length, 20);
  const later = await until('a new one opens', () => thread.open('127.0.0.1').catch(() => undefined));
  t.true(later.port > 0);
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

test('catches up delayed speech by at most 40 ms', (t) => {
  const { isDue } = createLead();
  t.true(isDue(0, true));
  t.is(leaving(isDue, 1_000, true), 2);
  t.is(leaving(isDue, 1_020, true), 1);
});

test('a pause consumes the lead and continues with silence', (t) => {
  const { isDue } = createLead();
  leaving(isDue, 0, true);
  const beats = [20, 40, 60, 80].map((now) => isDue(now, false));
  t.deepEqual(beats, [false, true, true, true]);
});

test('never sends silence ahead', (t) => {
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

const startSession = async (t: ExecutionContext, sampleRate: SampleRate = 8_000) => {
  let now = 0;
  let begun = 0;
  const heard: Int16Array[] = [];
  const silences: boolean[] = [];
  let short = 0;
  const sound = new SampleRing(ringMemory(1_024));
  const session = await openUnicastSession(
    { address: '127.0.0.1', from: '127.0.0.1', sampleRate, silenceMs: 140, now: () => now },
    sound,
    {
      onBegun: () => (begun += 1),
      onAudio: (samples) => heard.push(samples),
      onSilence: (isSilent) => silences.push(isSilent),
      onShortFrames: () => (short += 1),
    },
  );
  t.teardown(session.close);
  return {
    session,
    sound,
    heard,
    silences,
    short: () => short,
    begun: () => begun,
    beat(milliseconds = 20): void {
      now += milliseconds;
      session.tick();
    },
  };
};

const bytesOf = (...samples: number[]): Uint8Array => new Uint8Array(Int16Array.from(samples).buffer);

test.serial('received bytes become samples; each tick sends a frame of speech, then silence', async (t) => {
  const { session, sound, heard, begun, beat } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesOf(1, -2, 32_767));
  await until('it is heard', () => heard.length === 1 || undefined);
  t.deepEqual([...(heard[0] ?? [])], [1, -2, 32_767]);
  t.is(begun(), 1);

  sound.write(new Int16Array(200).fill(7));
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
});

test.serial('sends no audio and keeps the queue before the first packet has arrived', async (t) => {
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
  test.serial(`drops frames that FreeSWITCH fills in between packets of ${packetMs} ms`, async (t) => {
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

test.serial('keeps frames that FreeSWITCH fills in during a pause', async (t) => {
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

test.serial('reports a silence of FreeSWITCH once, and its end', async (t) => {
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

test.serial('does not take its own stall for a silence of FreeSWITCH', async (t) => {
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
  // Packets that arrived meanwhile are still in the socket.
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
