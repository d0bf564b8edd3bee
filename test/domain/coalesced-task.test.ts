import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';

/** Work that ends when the test says so. */
const steps = () => {
  const ends: (() => void)[] = [];
  const task = createCoalescedTask(() => new Promise<void>((resolve) => ends.push(resolve)));
  const endOne = async (): Promise<void> => {
    ends.at(-1)?.();
    await turn();
  };
  return { task, begun: () => ends.length, endOne };
};

test('it begins at once, and again when it is wanted after its end', async (t) => {
  const { task, begun, endOne } = steps();
  const run = task.run();
  t.is(begun(), 1);
  await endOne();
  await run;
  void task.run();
  t.is(begun(), 2);
});

test('however often it is wanted while it is under way, it is done once more, and not at the same time', async (t) => {
  const { task, begun, endOne } = steps();
  const runs = [task.run(), task.run(), task.run()];
  await turn();
  t.is(begun(), 1);
  await endOne();
  t.is(begun(), 2);
  void task.run();
  await endOne();
  t.is(begun(), 3);
  await endOne();
  await Promise.all(runs);
  t.is(begun(), 3);
});

test('closed, it waits for the run under way and begins no other', async (t) => {
  const { task, begun, endOne } = steps();
  void task.run();
  void task.run();
  let isClosed = false;
  const closing = task.close().then(() => (isClosed = true));
  await turn();
  t.false(isClosed);
  await endOne();
  await closing;
  await task.run();
  t.is(begun(), 1);
});
