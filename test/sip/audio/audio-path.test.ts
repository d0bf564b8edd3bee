/** Resampling, and the agent's voice on its way to the media thread: the path and its ring. */
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { array, assert, integer, property } from 'fast-check';
import { SimulatedClock } from 'xstate';
import { createLineTime } from '#sip/audio/line-time.ts';
import { createAudioPath } from '#sip/audio/audio-path.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import { ringSamples } from '#sip/media-thread/media-thread.ts';
import { loadResampler, resamplingReach } from '#sip/audio/resampler.ts';
import { pathInto } from '#test/helpers/path-into.ts';

// The resampler is loaded before the first test, because AVA accepts only tests that are declared synchronously.
const resample = await loadResampler();

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

test.serial('resamples audio of any length, also at block boundaries', (t) => {
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

test.serial('computes a sample only from samples within the filter length', (t) => {
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

test.serial('does not carry audio over to the next stream with the same rates', (t) => {
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

test.serial('leaves samples unchanged for equal rates', (t) => {
  const samples = tone(440, 16_000);
  t.is(resample(samples, 16_000, 16_000), samples);
});

// Audio path

/** A clock, and the time of a line according to it. */
const setUpTime = () => {
  const clock = new SimulatedClock();
  return { clock, time: createLineTime(clock, 1) };
};

const rising = (from: number, length: number): Int16Array =>
  Int16Array.from({ length }, (_, index) => from + index);

test('plays every sample once and in order over successive ring buffers, then notifies waiting callers', (t) => {
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

test('does not play withdrawn audio from the next ring buffer', (t) => {
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

test('withdraws all queued audio of a path without a ring buffer', (t) => {
  const { time } = setUpTime();
  const path = createAudioPath(8_000, time);
  path.send(new Int16Array(100));
  path.whenPlayed(() => t.fail('it was not played'));
  t.is(path.waiting(), 100);
  t.is(path.takeBack(), 100);
  t.is(path.waiting(), 0);
});

test.serial(
  'resamples the remaining audio for a ring buffer of another rate, and counts it at the rate of the call',
  (t) => {
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
    // The resampler keeps the last few milliseconds for the following audio.
    t.true(Math.abs(narrow.waiting - 6_000) < 100, String(narrow.waiting));
    const frame = new Int16Array(160);
    for (let beats = 0; beats < 50; beats += 1) {
      narrow.read(frame);
      if (beats === 10) t.true(Math.abs(path.waiting() - 2 * narrow.waiting) <= 1);
      clock.increment(20);
    }
    t.is(path.waiting(), 0);
    t.true(isPlayed);
  },
);

test('rejects a ring buffer of another rate without a resampler', (t) => {
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
  /** Takes audio of the given length from the ring, in pieces of 20 ms like the media thread. */
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

test('calls back at a mark when all audio before it was sent', (t) => {
  const { marks, mark, path, sound } = setUpPath();
  path.send(second);
  mark('said');
  sound(980);
  t.deepEqual(marks, []);
  sound(60);
  t.deepEqual(marks, ['said']);
});

test('calls back at once at a mark with no audio before it', (t) => {
  const { marks, mark } = setUpPath();
  mark('now');
  t.deepEqual(marks, ['now']);
});

test('sends audio longer than the ring buffer in order as space becomes free', (t) => {
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
  test(`plays audio longer than the ring buffer without a gap at ${rate} samples a second`, (t) => {
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

test.serial("reads audio in written order, across the end of the ring buffer's memory", (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 6)), 6);
  t.deepEqual(readAll(ring, 4), [0, 1, 2, 3]);
  t.is(ring.write(counting(6, 5)), 5);
  t.is(ring.waiting, 7);
  t.deepEqual(readAll(ring, 20), [4, 5, 6, 7, 8, 9, 10]);
  t.deepEqual(readAll(ring, 20), []);
});

test.serial('writes only as much as fits into the ring buffer, without overwriting', (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 12)), 8);
  t.is(ring.write(counting(50, 1)), 0);
  t.deepEqual(readAll(ring, 12), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test.serial('withdraws unread audio and returns its exact number of samples', (t) => {
  const ring = new SampleRing(ringMemory(16));
  ring.write(counting(0, 10));
  readAll(ring, 3);
  t.is(ring.takeBack(), 7);
  t.is(ring.takeBack(), 0);
  ring.write(counting(40, 2));
  t.deepEqual(readAll(ring, 16), [40, 41]);
});

test.serial('counts positions in the ring buffer beyond 32 bits', (t) => {
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
      workerData: { memory, url: new URL('../../../sip/audio/sample-ring.ts', import.meta.url).href },
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

test.serial('makes the size of a ring buffer a power of two', (t) => {
  t.throws(() => ringMemory(100), { instanceOf: RangeError });
});
