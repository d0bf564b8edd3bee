import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { sweepSipMessages } from '#src/start/sweep-sip-messages.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const world = (found: (Error | number)[]) => {
  const clock = createOrderedClock();
  const asked: { before: number; most: number }[] = [];
  const { close } = sweepSipMessages({
    async remove(range) {
      asked.push(range);
      const next = found.shift() ?? 0;
      if (typeof next !== 'number') throw next;
      return next;
    },
    days: 7,
    everyMs: 1_000,
    batch: 10,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const sweep = async (): Promise<void> => {
    clock.advance(1_000);
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  };
  return { clock, asked, sweep, close };
};

test('what is older than so many days is deleted, until no more is found', async (t) => {
  const { clock, asked, sweep } = world([10, 10, 3]);
  await sweep();
  t.is(asked.length, 3);
  t.deepEqual(asked[0], { before: (clock.now() - 1_000 - 7 * 86_400_000) * 1_000 + 0, most: 10 });
  await sweep();
  t.is(asked.length, 4, 'and then again and again');
});

test('a database that is away is asked again the next time', async (t) => {
  const { asked, sweep, close } = world([new Error('away')]);
  await sweep();
  await sweep();
  t.is(asked.length, 2);
  await close();
  await sweep();
  t.is(asked.length, 2, 'until it is closed');
});
