import test from 'ava';
import { SimulatedClock } from 'xstate';
import { createLineTime } from '#sip/line-time.ts';
import { createSoundPath } from '#sip/media/sound-path.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import { ringSamples } from '#sip/media/thread/sound-thread.ts';

const setUp = () => {
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
  const { marks, mark, path, sound } = setUp();
  path.send(second);
  mark('said');
  sound(980);
  t.deepEqual(marks, []);
  sound(60);
  t.deepEqual(marks, ['said']);
});

test('a mark behind nothing comes at once', (t) => {
  const { marks, mark } = setUp();
  mark('now');
  t.deepEqual(marks, ['now']);
});

test('what is longer than the ring follows as room comes, in its order', (t) => {
  const { marks, mark, path, sound, ring } = setUp();
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
  const { marks, mark, path, sound, ring } = setUp();
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
  const { marks, mark, path, sound, ring } = setUp();
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
