import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { createBatchWriter } from '#src/calls/journal/batch-writer.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

class Away extends Error {}

const world = () => {
  const clock = createOrderedClock();
  const written: string[][] = [];
  const database = { isAway: false, refuses: false };
  const writer = createBatchWriter<string>({
    what: 'words',
    async write(words) {
      if (database.isAway) throw new Away();
      if (database.refuses) throw new Error('no');
      written.push([...words]);
    },
    isPassing: (error) => error instanceof Away,
    weightOf: ({ length }) => length,
    gatherMs: 500,
    batch: 2,
    limit: 10,
    retryMs: 5_000,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const goBy = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  };
  return { writer, written, database, goBy };
};

test('what is told within a moment is written together, so many at once', async (t) => {
  const { writer, written, goBy } = world();
  for (const word of ['a', 'b', 'c']) t.true(writer.add(word));
  await goBy(499);
  t.deepEqual(written, []);
  await goBy(1);
  t.deepEqual(written, [['a', 'b'], ['c']]);
});

test('while the database is away no more waits than a weight; the rest is lost and counted', async (t) => {
  const { writer, written, database, goBy } = world();
  database.isAway = true;
  t.true(writer.add('twelve chars'));
  await goBy(500);
  t.false(writer.add('x'), 'one that is too heavy by itself is taken, and nothing behind it');
  t.is(writer.lost(), 1);
  database.isAway = false;
  await goBy(5_000);
  t.deepEqual(written, [['twelve chars']]);
  t.true(writer.add('x'), 'there is room again');
});

test('what the database refuses is lost and counted, and the next is written', async (t) => {
  const { writer, written, database, goBy } = world();
  database.refuses = true;
  writer.add('a');
  writer.add('b');
  await goBy(500);
  t.is(writer.lost(), 2);
  database.refuses = false;
  writer.add('c');
  await goBy(500);
  t.deepEqual(written, [['c']]);
});

test('closing writes what waits, or loses it where the database is away', async (t) => {
  const there = world();
  there.writer.add('a');
  await there.writer.close();
  t.deepEqual(there.written, [['a']]);
  const { writer, written, database } = world();
  database.isAway = true;
  writer.add('a');
  await writer.close();
  t.deepEqual(written, []);
});
