/** Virtual time in a process that works, waits, and is suspended, as the test decides. */
import test from 'ava';
import { createVirtualClock, type ProcessTime } from '#src/virtual-clock.ts';

const scriptedProcess = () => {
  let now = 0;
  let idle = 0;
  let wakes: { at: number; callback: () => void } | undefined;
  const real: ProcessTime = {
    now: () => now,
    idle: () => idle,
    wake(afterMs, callback) {
      const asked = { at: now + afterMs, callback };
      wakes = asked;
      return () => {
        if (wakes === asked) wakes = undefined;
      };
    },
  };
  const wake = (): void => {
    const woken = wakes;
    wakes = undefined;
    woken?.callback();
  };
  return {
    real,
    isAsleep: () => wakes === undefined,
    /** Milliseconds of work. */
    work: (ms: number) => void (now += ms),
    /** The process is idle except for timers; each wake-up is late by this much. */
    wait(ms: number, lateMs = 0) {
      const end = now + ms;
      while (wakes !== undefined && wakes.at <= end) {
        const waited = Math.max(0, wakes.at - now) + (wakes.at > now ? lateMs : 0);
        now += waited;
        idle += waited;
        wake();
      }
      idle += Math.max(0, end - now);
      now = Math.max(now, end);
    },
  };
};

const setUp = (speed: number) => {
  const process = scriptedProcess();
  const clock = createVirtualClock(speed, process.real);
  const story: string[] = [];
  const after = (milliseconds: number, name: string): unknown =>
    clock.setTimeout(() => story.push(`${name} at ${Math.round(clock.elapsed())}`), milliseconds);
  return { ...process, clock, story, after };
};

test('skips ahead in virtual time while the process is idle', (t) => {
  const { after, wait, story } = setUp(20);
  after(2_000, 'two seconds');
  after(1_000, 'one second');
  wait(49);
  t.deepEqual(story, []);
  wait(1);
  t.deepEqual(story, ['one second at 1000']);
  wait(50);
  t.deepEqual(story, ['one second at 1000', 'two seconds at 2000']);
});

test('counts work with the same virtual as real time', (t) => {
  const { after, work, wait, story, clock } = setUp(20);
  after(1_000, 'patience');
  work(500);
  t.is(clock.elapsed(), 500);
  after(100, 'answer');
  work(50);
  wait(10);
  t.deepEqual(story, ['answer at 600']);
  wait(50);
  t.deepEqual(story, ['answer at 600', 'patience at 1000']);
});

test('counts at most the slept time and a moment for a suspended process', (t) => {
  const { after, wait, story, clock } = setUp(20);
  after(1_000, 'first');
  after(9_000, 'second');
  wait(50, 350);
  t.deepEqual(story, ['first at 1000']);
  t.true(clock.elapsed() <= 1_000 + 2 * 20);
});

test('a timer set by another timer counts from its due time, and fires before later ones', (t) => {
  const { clock, wait, story, after } = setUp(100);
  clock.setTimeout(() => {
    story.push('break in');
    after(20, 'heard');
  }, 700);
  after(750, 'the sentence is over');
  wait(8);
  t.deepEqual(story, ['break in', 'heard at 720', 'the sentence is over at 750']);
});

test('a cleared timer never fires, and the process is not woken without timers', (t) => {
  const { clock, after, wait, story, isAsleep } = setUp(20);
  const one = after(10, 'one');
  after(20, 'other');
  clock.clearTimeout(one);
  clock.clearTimeout(one);
  wait(2);
  t.deepEqual(story, ['other at 20']);
  t.true(isAsleep());
  clock.clearTimeout(after(10, 'third'));
  t.true(isAsleep());
});

test('virtual time continues although a timer sets itself again without a delay', (t) => {
  const { clock, after, wait, story } = setUp(20);
  const again = (): void => {
    clock.setTimeout(again, 0);
  };
  again();
  after(30, 'patience');
  wait(5);
  t.deepEqual(story, ['patience at 30']);
});

test('at half speed, timers and work take twice the real time', (t) => {
  const { after, work, wait, story } = setUp(0.5);
  after(1_000, 'a second');
  work(1_000);
  wait(999);
  t.deepEqual(story, []);
  wait(2);
  t.deepEqual(story, ['a second at 1000']);
});

test('starts virtual time with its own process', async (t) => {
  const clock = createVirtualClock(1_000);
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    clock.setTimeout(resolve, 3_000);
    clock.setTimeout(() => order.push('second'), 2_000);
    clock.setTimeout(() => order.push('first'), 1_000);
  });
  t.deepEqual(order, ['first', 'second']);
  t.true(clock.elapsed() >= 3_000);
});
