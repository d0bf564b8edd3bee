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
import { createLineTime } from '#sip/line-time.ts';
import { createDirectEndpoint } from '#sip/media/direct/direct-endpoint.ts';
import { pcma, pcmu } from '#sip/media/g711.ts';
import type { MediaEndpoint, SoundPath } from '#sip/media/media-endpoint.ts';
import { createMovablePath } from '#sip/media/movable-path.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import { createSoundPath } from '#sip/media/sound-path.ts';
import { createHeard, quietDb } from '#sip/media/thread/heard-sound.ts';
import { startPacer } from '#sip/media/thread/pacer.ts';
import type { FromSoundThread } from '#sip/media/thread/sound-thread-messages.ts';
import { createSoundThread, ringSamples, type SoundThread } from '#sip/media/thread/sound-thread.ts';
import { createLead } from '#sip/media/unicast/lead.ts';
import { openUnicastSession } from '#sip/media/unicast/unicast-session.ts';
import { loadResampler, resamplingReach } from '#sip/resampler.ts';
import type { SampleRate } from '#sip/samples.ts';
import { steadyClock } from '#src/clocks.ts';
import { until } from '#test/helpers/until.ts';

// Awaited before the first test: AVA accepts only tests that are declared synchronously.
const resample = await loadResampler();

// G.711

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

for (const [name, codec] of Object.entries({ PCMU: pcmu, PCMA: pcma })) {
  test(`${name}: each code is the code of its own sample`, (t) => {
    const samples = codec.decode(everyByte);
    const codes = new Uint8Array(256);
    codec.encode(samples, codes, 0);
    // Two codes of PCMU stand for zero.
    const again = codec.decode(codes);
    t.deepEqual(again, samples);
  });

  test(`${name}: no sample is further from its code than half a step`, (t) => {
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

/** ITU-T G.711 tables 1 and 2: some of the values that are written there, on 16 bits. */
test('codes are those of the tables of G.711', (t) => {
  t.deepEqual(
    Array.from(pcmu.decode(Uint8Array.of(0xff, 0x80, 0x00, 0xf0, 0x7f))),
    [0, 32_124, -32_124, 120, 0],
  );
  t.deepEqual(Array.from(pcma.decode(Uint8Array.of(0xd5, 0xaa, 0x2a, 0x55))), [8, 32_256, -32_256, -8]);
});

test('sound is encoded behind what stands before it', (t) => {
  const bytes = new Uint8Array(4);
  pcmu.encode(Int16Array.of(0, 32_124), bytes, 2);
  t.deepEqual(Array.from(bytes), [0, 0, 0xff, 0x80]);
});

// Resampler

const tone = (hertz: number, rate: number): Int16Array =>
  Int16Array.from({ length: rate / 2 }, (_, index) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );

/** Root mean square, away from the ends. */
const level = (samples: Int16Array): number => {
  const middle = samples.subarray(200, -200);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
};

/** How much louder a tone has become, in dB. */
const gain = (hertz: number, from: number, to: number): number =>
  20 * Math.log10(level(resample(tone(hertz, from), from, to)) / level(tone(hertz, from)));

for (const rate of [8_000, 22_050, 24_000, 48_000])
  test.serial(`a tone of 1000 Hz stays the same tone from ${rate} to 16000 Hz`, (t) => {
    const result = resample(tone(1_000, rate), rate, 16_000);
    const expected = tone(1_000, 16_000);
    t.is(result.length, expected.length);
    const difference = level(result.map((sample, index) => sample - (expected[index] ?? 0)));
    t.true(difference < level(expected) / 50, `${difference}`);
  });

for (const rate of [16_000, 22_050, 24_000, 44_100, 48_000])
  test.serial(
    `what a telephone carries is as loud as it was at ${rate} Hz, and nothing else is folded into it`,
    (t) => {
      for (const hertz of [300, 1_000, 3_000, 3_400])
        t.true(Math.abs(gain(hertz, rate, 8_000)) < 0.1, `${hertz} Hz: ${gain(hertz, rate, 8_000)} dB`);
      for (const hertz of [4_400, 5_000, 7_000])
        t.true(gain(hertz, rate, 8_000) < -80, `${hertz} Hz: ${gain(hertz, rate, 8_000)} dB`);
    },
  );

test.serial('sound of any length has its place, at the borders of what is taken at once, too', (t) => {
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

test.serial('a sample is made of no more than what is in reach', (t) => {
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

test.serial(
  'a sound does not linger in the next one of the same rates, however many others there were',
  (t) => {
    const sound = tone(700, 24_000);
    const alone = resample(sound, 24_000, 8_000);
    for (let others = 0; others < 40; others += 1) resample(tone(440, 24_000), 24_000 + others, 8_000);
    t.deepEqual(resample(sound, 24_000, 8_000), alone);
    t.deepEqual(resample(sound, 24_000, 8_000), alone);
  },
);

test.serial('a loud sample stays loud and does not wrap around', (t) => {
  const square = Int16Array.from({ length: 2_000 }, (_, index) => (index % 100 < 50 ? 32_767 : -32_768));
  const result = resample(square, 7_000, 10_000);
  t.true(result.subarray(10, 60).every((sample) => sample > 0));
});

test.serial('the same rate leaves the samples as they are', (t) => {
  const samples = tone(440, 16_000);
  t.is(resample(samples, 16_000, 16_000), samples);
});

// Movable path

/** Plays as much as the test says, and notes it. */
const somePath = () => {
  let waiting: ({ sample: number } | { onPlayed: () => void })[] = [];
  const played: number[] = [];
  const count = (): number => waiting.filter((one) => 'sample' in one).length;
  const tell = (): void => {
    for (let next = waiting[0]; next !== undefined && 'onPlayed' in next; next = waiting[0]) {
      waiting.shift();
      next.onPlayed();
    }
  };
  const path: SoundPath = {
    send: (samples) => waiting.push(...Array.from(samples, (sample) => ({ sample }))),
    whenPlayed(onPlayed) {
      waiting.push({ onPlayed });
      tell();
    },
    waiting: count,
    takeBack() {
      const unplayed = count();
      waiting = [];
      return unplayed;
    },
    close() {},
  };
  return {
    path,
    played,
    play(samples: number): void {
      for (let left = samples; left > 0; left -= 1) {
        const next = waiting.shift();
        if (next !== undefined && 'sample' in next) played.push(next.sample);
        tell();
      }
    },
  };
};

test('wherever it goes on, every sample is played once and in its order, and what waits for them is told then', (t) => {
  assert(
    property(
      array(integer({ min: 0, max: 30 }), { maxLength: 12 }),
      array(integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 4 }),
      (lengths, plays) => {
        const first = somePath();
        const movable = createMovablePath(first.path);
        const told: [number, number][] = [];
        const places = [first];
        const played = (): number[] => places.flatMap((place) => place.played);
        let total = 0;
        for (const length of lengths) {
          movable.send(Int16Array.from({ length }, (_, index) => total + index));
          total += length;
          const end = total;
          movable.whenPlayed(() => told.push([end, played().length]));
          first.play(2);
        }
        for (const samples of plays) {
          places.at(-1)?.play(samples);
          const next = somePath();
          movable.moveTo(next.path);
          places.push(next);
        }
        places.at(-1)?.play(total);
        t.deepEqual(
          played(),
          Array.from({ length: total }, (_, index) => index),
        );
        t.is(told.length, lengths.length);
        // It is told with the sample after it at the latest.
        for (const [end, at] of told) t.true(at === end, `${at} instead of ${end}`);
      },
    ),
  );
});

test('what was taken back does not come again', (t) => {
  const first = somePath();
  const next = somePath();
  const movable = createMovablePath(first.path);
  movable.send(new Int16Array(10).fill(1));
  movable.whenPlayed(() => t.fail('it was taken back'));
  first.play(4);
  t.is(movable.waiting(), 6);
  t.is(movable.takeBack(), 6);
  movable.moveTo(next.path);
  movable.send(new Int16Array(2).fill(2));
  next.play(9);
  t.deepEqual(next.played, [2, 2]);
});

// Sound path

const setUpSoundPath = () => {
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
  const path = createSoundPath(ring, 8_000, time);
  const mark = (name: string): void => path.whenPlayed(() => marks.push(name));
  /** So much leaves, as the thread of the sound takes it. */
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

test('a mark comes when all before it has left', (t) => {
  const { marks, mark, path, sound } = setUpSoundPath();
  path.send(second);
  mark('said');
  sound(980);
  t.deepEqual(marks, []);
  sound(60);
  t.deepEqual(marks, ['said']);
});

test('a mark behind nothing comes at once', (t) => {
  const { marks, mark } = setUpSoundPath();
  mark('now');
  t.deepEqual(marks, ['now']);
});

test('what is longer than the ring follows as room comes, in its order', (t) => {
  const { marks, mark, path, sound, ring } = setUpSoundPath();
  for (let seconds = 0; seconds < 5; seconds += 1) path.send(second);
  mark('end');
  t.true(ring.waiting <= 16_384);
  sound(4_900);
  t.deepEqual(marks, []);
  sound(1_200);
  t.deepEqual(marks, ['end']);
  t.is(ring.waiting, 0);
});

test('what is taken back is counted and never said to be played, and later sound goes on', (t) => {
  const { marks, mark, path, sound, ring } = setUpSoundPath();
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

test('a path that is closed sends nothing more and calls nobody', (t) => {
  const { marks, mark, path, sound, ring } = setUpSoundPath();
  path.send(second);
  mark('never');
  path.close();
  sound(2_000);
  t.is(ring.waiting, 0);
  t.deepEqual(marks, []);
});

for (const rate of [8_000, 16_000] as const)
  test(`at ${rate} samples a second what is longer than the ring of a call has no hole`, (t) => {
    const clock = new SimulatedClock();
    const time = createLineTime(clock, 1);
    const ring = new SampleRing(ringMemory(ringSamples));
    const path = createSoundPath(ring, rate, time);
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

test.serial('what is written is read in its order, around the end of the memory, too', (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 6)), 6);
  t.deepEqual(readAll(ring, 4), [0, 1, 2, 3]);
  t.is(ring.write(counting(6, 5)), 5);
  t.is(ring.waiting, 7);
  t.deepEqual(readAll(ring, 20), [4, 5, 6, 7, 8, 9, 10]);
  t.deepEqual(readAll(ring, 20), []);
});

test.serial('no more is taken than there is room for, and nothing is overwritten', (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 12)), 8);
  t.is(ring.write(counting(50, 1)), 0);
  t.deepEqual(readAll(ring, 12), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test.serial('what was not read is taken back, and said to the sample', (t) => {
  const ring = new SampleRing(ringMemory(16));
  ring.write(counting(0, 10));
  readAll(ring, 3);
  t.is(ring.takeBack(), 7);
  t.is(ring.takeBack(), 0);
  ring.write(counting(40, 2));
  t.deepEqual(readAll(ring, 16), [40, 41]);
});

test.serial('places are counted beyond what a number of 32 bits holds', (t) => {
  const memory = ringMemory(8);
  new Int32Array(memory, 0, 2).fill(0x7ffffffc);
  const ring = new SampleRing(memory);
  ring.write(counting(0, 8));
  t.is(ring.waiting, 8);
  t.deepEqual(readAll(ring, 5), [0, 1, 2, 3, 4]);
  t.is(ring.takeBack(), 3);
  t.is(ring.room, 8);
});

test.serial('between two threads each sample is either read or taken back', async (t) => {
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
      workerData: { memory, url: new URL('../../sip/media/sample-ring.ts', import.meta.url).href },
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

test.serial('a ring has a power of two of samples', (t) => {
  t.throws(() => ringMemory(100), { instanceOf: RangeError });
});

// Thread priority

/** Of this process: the nice value of each thread (proc(5), /proc/pid/stat, field 19). */
const niceOfThreads = (): number[] =>
  readdirSync('/proc/self/task').flatMap((thread) => {
    try {
      const [, behindName = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ');
      return [Number(behindName.split(' ')[16])];
    } catch {
      // It has ended meanwhile: other tests of this process have threads as well.
      return [];
    }
  });

test.serial(
  'a thread that goes before others does so alone, and where it may not nothing fails',
  async (t) => {
    if (process.platform !== 'linux') {
      t.pass();
      return;
    }
    const before = niceOfThreads();
    const module = new URL('../../sip/media/thread/thread-priority.ts', import.meta.url).href;
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
  },
);

// Heard sound

type Told = Extract<FromSoundThread, { type: 'heard' }>;

const frameOf = (level: number): Int16Array => new Int16Array(160).fill(level);
const quiet = frameOf(10);
const loud = frameOf(3_000);

/** What is told, by the beat at which it is. */
const startHeardSound = () => {
  const told = new Map<number, Told>();
  let beat = 0;
  const heard = createHeard((message) => void told.set(beat, message));
  return {
    told,
    heard,
    /** So many beats, at each of which the calls are given what `frame` makes. */
    beats(count: number, hear: () => void): void {
      for (let made = 0; made < count; made += 1) {
        hear();
        beat += 1;
        heard.tell();
      }
    },
    samplesOf: (at: number, id: number): number | undefined =>
      told.get(at)?.sounds.find((sound) => sound.id === id)?.samples.length,
  };
};

test('silence is told in blocks, of all calls at the same beat, and none of it is lost', (t) => {
  const { told, heard, beats, samplesOf } = startHeardSound();
  const one = heard.of(1);
  const other = heard.of(2);
  beats(3, () => one.onSound(quiet));
  beats(12, () => {
    one.onSound(quiet);
    other.onSound(quiet);
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

test('what may be a voice is told at once, behind the silence before it, and so is the silence after it', (t) => {
  const { told, heard, beats, samplesOf } = startHeardSound();
  const call = heard.of(1);
  beats(7, () => call.onSound(quiet));
  beats(1, () => call.onSound(loud));
  t.is(samplesOf(8, 1), 3 * 160);
  t.is(told.get(8)?.sounds[0]?.samples.at(-1), 3_000);
  const second = 50;
  beats(second, () => call.onSound(quiet));
  t.deepEqual(
    Array.from({ length: second }, (_, after) => samplesOf(9 + after, 1)),
    Array.from({ length: second }, () => 160),
  );
  beats(2 * second, () => call.onSound(quiet));
  t.deepEqual([...told.keys()].slice(-2), [150, 155]);
});

test('a voice in one call hurries no other', (t) => {
  const { heard, beats, samplesOf } = startHeardSound();
  const talking = heard.of(1);
  const silent = heard.of(2);
  beats(4, () => {
    talking.onSound(loud);
    silent.onSound(quiet);
  });
  t.deepEqual([samplesOf(4, 1), samplesOf(4, 2)], [160, undefined]);
});

test('a key is told at once', (t) => {
  const { told, heard, beats } = startHeardSound();
  const call = heard.of(1);
  beats(1, () => {
    call.onSound(quiet);
    call.onKey('5');
  });
  t.deepEqual(told.get(1), { type: 'heard', sounds: [], keys: [{ id: 1, key: '5' }] });
});

test('of a call that is over nothing is told any more', (t) => {
  const { told, heard, beats } = startHeardSound();
  const call = heard.of(1);
  beats(2, () => call.onSound(loud));
  heard.forget(1);
  beats(8, () => call.onSound(loud));
  t.deepEqual([...told.keys()], [1, 2]);
});

test('whatever listening takes for a voice is told at once', (t) => {
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
    /** It wakes up so many milliseconds after it was due. */
    wake(lateMs = 0) {
      if (waiting === null) throw new Error('Nothing is due');
      now = waiting.at + lateMs;
      waiting.callback();
    },
  };
};

test('it beats every 20 ms, and lateness does not add up', (t) => {
  const pacer = setUpPacer();
  for (let turn = 0; turn < 5; turn += 1) pacer.wake(3);
  t.is(pacer.beats(), 5);
  t.is(pacer.dueAt(), 120);
});

test('beats that were missed are made up for', (t) => {
  const pacer = setUpPacer();
  pacer.wake(65);
  t.is(pacer.beats(), 4);
  t.is(pacer.dueAt(), 100);
});

test('after a long stall the rest is left out, and the beat goes on', (t) => {
  const pacer = setUpPacer();
  pacer.wake(5_000);
  t.is(pacer.beats(), 10);
  t.is(pacer.dueAt(), 5_040);
  pacer.wake();
  t.is(pacer.beats(), 11);
});

test('an awakening before its time beats nothing', (t) => {
  const pacer = setUpPacer();
  pacer.wake(-1);
  t.is(pacer.beats(), 0);
  t.is(pacer.dueAt(), 20);
});

// Sound thread
// The thread of the sound as it is: what becomes of calls when it fails.

const startSoundThread = (t: ExecutionContext, ports: { from: number; to: number }) => {
  const logged: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line));
      done();
    },
  });
  const thread = createSoundThread({ ports, logger: pino({}, stream) });
  t.teardown(() => thread.close());
  return { thread, logged };
};

const call = async (t: ExecutionContext, thread: SoundThread) => {
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
  return { path, losses, heard: () => heard, soundIsLost: () => soundIsLost, figures: callee.figures };
};

/** No packet can be sent there: a fault of the program, which the thread does not survive. */
const breakDown = async (thread: SoundThread): Promise<void> => {
  const channel = await thread.open('127.0.0.1');
  channel.agree({
    remote: { address: '127.0.0.1', port: 70_000 },
    remoteReports: { address: '127.0.0.1', port: 70_000 },
    codec: 'PCMU',
    payloadType: 0,
    keysPayloadType: null,
    keys: null,
    receives: new Map(),
    isSending: true,
    isReceiving: true,
  });
};

test.serial('when it fails its calls have lost their sound, and the next call gets a new one', async (t) => {
  const { thread, logged } = startSoundThread(t, { from: 24_400, to: 24_798 });
  const first = await call(t, thread);
  await until('it is heard', () => first.heard() > 800 || undefined);
  await breakDown(thread);
  await until('it is lost', () => first.losses.length > 0 || undefined);
  t.deepEqual(first.losses, [null]);
  t.true(first.soundIsLost());
  t.regex(logged.join(''), /the thread of the sound has failed/);
  t.notThrows(() => first.path.send(new Int16Array(160)));
  t.true(((await first.figures())?.received.packets ?? 0) >= 0, 'the last that was told');

  const next = await call(t, thread);
  await until('the next one is heard', () => next.heard() > 800 || undefined);
  t.deepEqual([first.losses.length, next.losses.length], [1, 0]);
});

test.serial('one that fails while a call is opened refuses it', async (t) => {
  const { thread } = startSoundThread(t, { from: 24_800, to: 25_198 });
  await call(t, thread);
  await breakDown(thread);
  const opening = await Promise.allSettled(Array.from({ length: 20 }, () => thread.open('127.0.0.1')));
  // Those that came before the fault are lost with it; none waits for ever.
  t.is(opening.length, 20);
  const later = await until('a new one opens', () => thread.open('127.0.0.1').catch(() => undefined));
  t.true(later.port > 0);
});

// Lead

/** How many frames leave at each of these moments, where ten could. */
const leaving = (
  isDue: (now: number, isVoice: boolean) => boolean,
  now: number,
  isVoice: boolean,
): number => {
  let left = 0;
  while (left < 10 && isDue(now, isVoice)) left += 1;
  return left;
};

test('a frame leaves at each beat, also where one comes a little early or late', (t) => {
  const { isDue } = createLead();
  for (const now of [0, 20, 39, 61, 80, 95, 120]) t.true(isDue(now, now % 40 === 0), `${now} ms`);
});

test('a voice that was held up is made up for, but not by more than 40 ms', (t) => {
  const { isDue } = createLead();
  t.true(isDue(0, true));
  t.is(leaving(isDue, 1_000, true), 2);
  t.is(leaving(isDue, 1_020, true), 1);
});

test('a pause uses the lead up, and goes on with silence', (t) => {
  const { isDue } = createLead();
  leaving(isDue, 0, true);
  const beats = [20, 40, 60, 80].map((now) => isDue(now, false));
  t.deepEqual(beats, [false, true, true, true]);
});

test('silence is never sent ahead', (t) => {
  const { isDue } = createLead();
  t.is(leaving(isDue, 0, false), 1);
  t.is(leaving(isDue, 500, false), 1);
});

// Unicast session

const frameBytes = 320;

/** Who speaks to a session from this address, as a FreeSWITCH does. */
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
      onSound: (samples) => heard.push(samples),
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

test.serial(
  'what comes in are samples; each beat sends a frame of what is said, and silence behind it',
  async (t) => {
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
  },
);

test.serial(
  'nothing is sent, and nothing of what is said is used up, before the first sound has come',
  async (t) => {
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
  },
);

test.serial('whoever speaks from another address, or later than the first, is not heard', async (t) => {
  const { session, heard, begun } = await startSession(t);
  const stranger = await startSpeaker(t, '127.0.0.2');
  await stranger.say(session.port, bytesOf(1));
  const freeSwitch = await startSpeaker(t);
  const second = await startSpeaker(t);
  // Both lie in the socket before either is looked at.
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

test.serial('a datagram of nothing or of an odd length ends nothing', async (t) => {
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

/** A frame of so many milliseconds at 8000 Hz. */
const bytesFor = (milliseconds: number, sample: number): Uint8Array =>
  bytesOf(...Array.from({ length: 8 * milliseconds }, () => sample));

/** Frames that FreeSWITCH fills in where no packet is there. */
const filled = -1;

for (const [packetMs, ticks] of [
  [20, [20, 20, 20]],
  [40, [40, filled, 40, filled, 40, filled]],
  [30, [30, filled, 30, 30, filled, 30]],
] as const)
  test.serial(`leaves out what FreeSWITCH fills in between packets of ${packetMs} ms`, async (t) => {
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

test.serial('hears what FreeSWITCH fills in as the silence of a pause', async (t) => {
  const { session, heard } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesFor(40, 7));
  for (let frames = 0; frames < 5; frames += 1) await freeSwitch.say(session.port, bytesFor(20, -1));
  await until('all is heard', () => heard.length >= 5 || undefined);
  t.is(heard.length, 5, 'the first was in the packet before it');
});

test.serial('tells once that the frames of FreeSWITCH are shorter than 20 ms', async (t) => {
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

test.serial('tells a silence of FreeSWITCH once, and its end', async (t) => {
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

test.serial('takes no stall of its own for a silence of FreeSWITCH', async (t) => {
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
  // What came meanwhile is still in the socket.
  beat(2_000);
  for (let madeUp = 0; madeUp < 9; madeUp += 1) beat(0);
  t.deepEqual(silences, []);
});

test.serial('what is sent where nobody listens any more ends nothing', async (t) => {
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
