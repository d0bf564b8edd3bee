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
    work(closed) {
      signals.push(closed);
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

test('closed while it waits, it holds no timer', async (t) => {
  const { clock, task, begun } = steps();
  task.start(0);
  await task.close();
  t.is(clock.pending(), 0);
  clock.advance(1_000);
  t.is(begun(), 0);
  task.start(0);
  t.is(clock.pending(), 0, 'nor does it begin afterwards');
});

test('closed while it works, it tells the work, waits for its end, and begins no other', async (t) => {
  const { clock, task, endOne, signals } = steps();
  task.start(0);
  clock.advance(0);
  let isClosed = false;
  const closing = task.close().then(() => (isClosed = true));
  await turn();
  t.false(isClosed);
  t.true(signals[0]?.aborted);
  await endOne();
  await closing;
  t.is(clock.pending(), 0);
});
