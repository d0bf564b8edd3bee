import test from 'ava';
import { SimulatedClock } from 'xstate';
import { createWakeUp } from '#src/api/calls/wake-up.ts';

const setUp = () => {
  const clock = new SimulatedClock();
  return { clock, wakeUp: createWakeUp(clock) };
};

/** Whether the wait is over, without the time going on. */
const isOver = async (wait: Promise<void>): Promise<boolean> =>
  Promise.race([wait.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

test('who waits is woken, or the time is up', async (t) => {
  const { clock, wakeUp } = setUp();
  const woken = wakeUp.wait(1_000);
  t.false(await isOver(woken));
  wakeUp.wake();
  t.true(await isOver(woken));
  const waited = wakeUp.wait(1_000);
  t.false(await isOver(waited));
  clock.increment(1_000);
  t.true(await isOver(waited));
});

test('a waking while nobody waits ends the next wait at once, and that alone', async (t) => {
  const { wakeUp } = setUp();
  wakeUp.wake();
  wakeUp.wake();
  t.true(await isOver(wakeUp.wait(1_000)));
  t.false(await isOver(wakeUp.wait(1_000)));
});
