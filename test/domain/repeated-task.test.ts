import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

/** Work that ends when the test says so. */
const steps = () => {
  const clock = createOrderedClock();
  const ends: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const task = createRepeatedTask({
    work(stopped) {
      signals.push(stopped);
      return new Promise((resolve) => ends.push(resolve));
    },
    everyMs: 1_000,
    clock,
  });
  const endOne = async (): Promise<void> => {
    ends.at(-1)?.();
    await turn();
  };
  return { clock, task, begun: () => ends.length, endOne, signals };
};

test('the time until the next run begins with the end of the one before', async (t) => {
  const { clock, task, begun, endOne } = steps();
  task.start(50);
  clock.advance(49);
  t.is(begun(), 0);
  clock.advance(1);
  t.is(begun(), 1);
  clock.advance(5_000);
  t.is(begun(), 1);
  await endOne();
  clock.advance(999);
  t.is(begun(), 1);
  clock.advance(1);
  t.is(begun(), 2);
});

test('stopped while it waits, it holds no timer', async (t) => {
  const { clock, task, begun } = steps();
  task.start(0);
  await task.stop();
  t.is(clock.pending(), 0);
  clock.advance(1_000);
  t.is(begun(), 0);
  task.start(0);
  t.is(clock.pending(), 0, 'nor does it begin afterwards');
});

test('stopped while it works, it tells the work, waits for its end, and begins no other', async (t) => {
  const { clock, task, endOne, signals } = steps();
  task.start(0);
  clock.advance(0);
  let isStopped = false;
  const stopping = task.stop().then(() => (isStopped = true));
  await turn();
  t.false(isStopped);
  t.true(signals[0]?.aborted);
  await endOne();
  await stopping;
  t.is(clock.pending(), 0);
});
