import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { createUploads } from '#src/recordings/uploads.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

/** A store that takes files or fails when the test says so. */
const world = () => {
  const clock = createOrderedClock();
  const underWay = new Map<string, PromiseWithResolvers<void>>();
  const begun: string[] = [];
  const stored: string[] = [];
  const delayed: string[][] = [];
  const uploads = createUploads<string>({
    upload(file) {
      begun.push(file);
      const upload = Promise.withResolvers<void>();
      underWay.set(file, upload);
      return upload.promise;
    },
    onStored: (file) => stored.push(file),
    onDelayed: (waiting) => delayed.push([...waiting]),
    numbers: { atOnce: 2, retryFirstMs: 1_000, retryLongestMs: 4_000 },
    clock,
    logger: pino({ level: 'silent' }),
  });
  return {
    clock,
    uploads,
    begun,
    stored,
    delayed,
    async take(file: string): Promise<void> {
      underWay.get(file)?.resolve();
      await turn();
    },
    async fail(file: string): Promise<void> {
      underWay.get(file)?.reject(new Error('It is away'));
      await turn();
    },
  };
};

test('so many go there at once, the others in their order', async (t) => {
  const { uploads, begun, stored, take } = world();
  for (const file of ['a', 'b', 'c', 'd']) uploads.add(file);
  t.deepEqual(begun, ['a', 'b']);
  await take('b');
  t.deepEqual(begun, ['a', 'b', 'c']);
  await take('a');
  await take('c');
  await take('d');
  t.deepEqual(stored, ['b', 'a', 'c', 'd']);
});

test('a store that fails is left alone, whatever comes meanwhile, and what waits is said', async (t) => {
  const { uploads, begun, delayed, fail, clock } = world();
  for (const file of ['a', 'b', 'c']) uploads.add(file);
  await fail('a');
  await fail('b');
  uploads.add('d');
  t.deepEqual(begun, ['a', 'b']);
  t.deepEqual(delayed, [
    ['c', 'a'],
    ['c', 'a', 'b'],
  ]);
  t.is(clock.pending(), 1, 'two that fail together are one failure');
  clock.advance(1_000);
  t.deepEqual(begun.slice(2), ['c', 'a']);
});

test('it is left alone for longer each time, and for a short while again when it has taken something', async (t) => {
  const { uploads, begun, fail, take, clock } = world();
  uploads.add('a');
  for (const restMs of [1_000, 2_000, 4_000, 4_000]) {
    const before = begun.length;
    await fail('a');
    clock.advance(restMs - 1);
    t.is(begun.length, before);
    clock.advance(1);
    t.is(begun.length, before + 1);
  }
  await take('a');
  uploads.add('b');
  await fail('b');
  clock.advance(1_000);
  t.is(begun.at(-1), 'b');
  t.is(begun.length, 7);
});

test('closed, it waits for those under way and begins no other', async (t) => {
  const { uploads, begun, fail, take, clock } = world();
  for (const file of ['a', 'b', 'c']) uploads.add(file);
  let isClosed = false;
  const closing = uploads.close().then(() => (isClosed = true));
  await take('a');
  t.false(isClosed);
  await fail('b');
  await closing;
  t.deepEqual(begun, ['a', 'b']);
  t.is(clock.pending(), 0);
});

test('closed while the store is left alone, it holds no timer', async (t) => {
  const { uploads, fail, clock } = world();
  uploads.add('a');
  await fail('a');
  await uploads.close();
  t.is(clock.pending(), 0);
});
