import { mock } from 'node:test';
import test from 'ava';
import pino from 'pino';
import type { Database } from '#src/persistence/database.ts';
import { keepHouse } from '#src/start/keep-house.ts';

/** A database of which only the statements are seen. */
const database = (execute: () => Promise<never[]>): Database => {
  const never = (): never => {
    throw new Error('This is not asked for');
  };
  return {
    execute,
    journal: { execute },
    entityManager: never,
    listen: never,
    alone: never,
    ping: never,
    close: never,
  } as Database;
};

test.serial(
  'old idempotency keys are cleared away every hour, also after it failed once, until it ends',
  async (t) => {
    mock.timers.enable({ apis: ['setInterval'] });
    t.teardown(() => mock.timers.reset());
    const logged: string[] = [];
    const logger = pino({ base: null }, { write: (line: string) => void logged.push(line) });
    let asked = 0;
    const end = keepHouse(
      database(() => {
        asked += 1;
        return asked === 1 ? Promise.reject(new Error('The database is away')) : Promise.resolve([]);
      }),
      logger,
    );

    mock.timers.tick(3_599_999);
    t.is(asked, 0);
    mock.timers.tick(1);
    t.is(asked, 1);
    await new Promise(setImmediate);
    t.is(logged.length, 1);
    t.regex(logged[0] ?? '', /tried again in an hour/);

    mock.timers.tick(3_600_000);
    t.is(asked, 2);
    await new Promise(setImmediate);
    t.is(logged.length, 1, 'a success is not worth a line');

    end();
    mock.timers.tick(36_000_000);
    t.is(asked, 2);
  },
);
