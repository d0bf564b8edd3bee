import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { inBatches } from '#src/persistence/in-batches.ts';

/** Doubles numbers; each batch stays under way until it is let go. */
const doubling = (limits: { lanes: number; most: number }, refuse?: (items: readonly number[]) => void) => {
  const batches: number[][] = [];
  const underWay: (() => void)[] = [];
  const double = inBatches(async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => underWay.push(resolve));
    refuse?.(items);
    return (item) => item * 2;
  }, limits);
  const finishOne = async (): Promise<void> => {
    underWay.shift()?.();
    await turn();
  };
  return { double, batches, finishOne };
};

test('what comes in the same turn of the event loop is done together, and each gets its own result', async (t) => {
  const { double, batches, finishOne } = doubling({ lanes: 1, most: 10 });
  const results = Promise.all([double(1), double(2), double(3)]);
  await turn();
  t.deepEqual(batches, [[1, 2, 3]]);
  await finishOne();
  t.deepEqual(await results, [2, 4, 6]);
});

test('what comes later is never part of a batch that was sent, and shares the next one', async (t) => {
  const { double, batches, finishOne } = doubling({ lanes: 2, most: 10 });
  const results = [double(1)];
  await turn();
  results.push(double(2));
  await turn();
  results.push(double(3), double(4));
  await turn();
  t.deepEqual(batches, [[1], [2]]);
  await finishOne();
  t.deepEqual(batches, [[1], [2], [3, 4]]);
  await finishOne();
  await finishOne();
  t.deepEqual(await Promise.all(results), [2, 4, 6, 8]);
  const last = double(5);
  await turn();
  t.deepEqual(batches.at(-1), [5]);
  await finishOne();
  t.is(await last, 10);
});

test('a batch holds no more than it may', async (t) => {
  const { double, batches, finishOne } = doubling({ lanes: 1, most: 2 });
  const results = Promise.all([1, 2, 3, 4, 5].map(double));
  await turn();
  for (let batch = 1; batch <= 3; batch += 1) await finishOne();
  t.deepEqual(batches, [[1, 2], [3, 4], [5]]);
  t.deepEqual(await results, [2, 4, 6, 8, 10]);
});

test('one that is refused does not take the others with it', async (t) => {
  const refused = new Error('thirteen is refused');
  const { double, batches, finishOne } = doubling({ lanes: 1, most: 10 }, (items) => {
    if (items.includes(13)) throw refused;
  });
  const results = Promise.allSettled([double(1), double(13), double(2)]);
  await turn();
  for (let batch = 1; batch <= 4; batch += 1) await finishOne();
  t.deepEqual(batches, [[1, 13, 2], [1], [13], [2]]);
  t.deepEqual(await results, [
    { status: 'fulfilled', value: 2 },
    { status: 'rejected', reason: refused },
    { status: 'fulfilled', value: 4 },
  ]);
});

test('nothing is tried again when the database is away', async (t) => {
  const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const { double, batches, finishOne } = doubling({ lanes: 1, most: 10 }, () => {
    throw away;
  });
  const results = Promise.allSettled([double(1), double(2)]);
  await turn();
  await finishOne();
  t.deepEqual(batches, [[1, 2]]);
  t.deepEqual(await results, [
    { status: 'rejected', reason: away },
    { status: 'rejected', reason: away },
  ]);
});
