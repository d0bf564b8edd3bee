import { mock } from 'node:test';
import test from 'ava';
import pino from 'pino';
import { clearOutlivedRows } from '#src/start/clear-outlived-rows.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';

test.serial(
  'what nobody asks for any more is cleared away every hour, also after it failed once, until it ends',
  async (t) => {
    mock.timers.enable({ apis: ['setInterval'] });
    t.teardown(() => mock.timers.reset());
    const logged: string[] = [];
    const logger = pino({ base: null }, { write: (line: string) => void logged.push(line) });
    let asked = 0;
    const end = clearOutlivedRows(
      scriptedDatabase(() => {
        asked += 1;
        return asked === 1 ? Promise.reject(new Error('The database is away')) : Promise.resolve([]);
      }),
      logger,
    );

    mock.timers.tick(3_599_999);
    t.is(asked, 0);
    mock.timers.tick(1);
    await new Promise(setImmediate);
    t.is(asked, 4);
    t.is(logged.length, 1);
    t.regex(logged[0] ?? '', /tried again in an hour/);

    mock.timers.tick(3_600_000);
    await new Promise(setImmediate);
    t.is(asked, 8);
    t.is(logged.length, 1, 'a success is not worth a line');

    end();
    mock.timers.tick(36_000_000);
    await new Promise(setImmediate);
    t.is(asked, 8);
  },
);
