/** The gateway's connections when the server stops answering without a word. */
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { DatabaseAway, isTransient } from '#src/persistence/connection-errors.ts';
import { openDatabase, type Database, type DatabaseLimits } from '#src/persistence/database.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { frozenProxy, type FrozenProxy } from '#test/helpers/frozen-proxy.ts';
import { until } from '#test/helpers/until.ts';

/** The policy's own, so much quicker that a test need not wait. */
const quick: DatabaseLimits = {
  ...databaseLimits,
  connectMs: 10_000,
  answerMs: 10_000,
  beatMs: 100,
  beatAnswerMs: 10_000,
  endMs: 200,
};

/** The node finds nothing out by itself: what is seen is what statements find out. */
const withoutBeat: DatabaseLimits = { ...quick, beatMs: 3_600_000 };

const open = async (
  t: ExecutionContext,
  limits: DatabaseLimits,
  pools: { poolSize?: number; journalPoolSize?: number } = {},
): Promise<{ database: Database; proxy: FrozenProxy; url: string }> => {
  const url = await testDatabaseUrl(t);
  const proxy = await frozenProxy(t, url);
  const database = await openDatabase({
    connection: { url: proxy.url },
    poolSize: 2,
    journalPoolSize: 1,
    ...pools,
    limits,
    node: 'frozen',
    logger: pino({ level: 'silent' }),
  });
  t.teardown(database.close);
  return { database, proxy, url };
};

const answers = async (database: Database): Promise<true | undefined> =>
  database.ping().then(
    () => true,
    () => undefined,
  );

for (const lane of ['reads and writes', 'the journal'] as const) {
  test(`a statement of ${lane} that meets a frozen server fails in time, and the next ones get other connections`, async (t) => {
    const { database, proxy } = await open(t, withoutBeat, { poolSize: 1 });
    const { execute } = lane === 'the journal' ? database.journal : database;
    await execute('select 1');
    proxy.freeze();
    const error = await t.throwsAsync(execute('select 1'));
    t.true(isTransient(error), error?.message);
    t.regex(String(error), /timeout/i);
    proxy.forget();
    proxy.thaw();
    // The connection that was silent was discarded with its statement; otherwise this would wait for it again.
    await until('it is answered', () =>
      execute('select 2').then(
        () => true,
        () => undefined,
      ),
    );
  });
}

test('a statement that the server works on for too long is broken off there, and its connection lives on', async (t) => {
  const { database } = await open(
    t,
    { ...withoutBeat, statementMs: 10_000, answerMs: 60_000 },
    { poolSize: 1 },
  );
  const error = await t.throwsAsync(database.execute('select pg_sleep(3600)'), {
    message: /statement timeout/,
  });
  t.true(isTransient(error));
  t.deepEqual(await database.execute('select 2 as two'), [{ two: 2 }]);
});

test('a server that freezes is found out without a statement; then statements fail at once until it answers', async (t) => {
  const { database, proxy } = await open(t, quick);
  await database.ping();
  proxy.freeze();
  await proxy.held();
  await until('it is found out', async () =>
    database.execute('select 1').then(
      () => undefined,
      (error: unknown) => (error instanceof DatabaseAway ? true : undefined),
    ),
  );
  await t.throwsAsync(database.journal.execute('select 1'), { instanceOf: DatabaseAway });
  t.throws(() => database.entityManager(), { instanceOf: DatabaseAway });
  proxy.thaw();
  await until('it answers again', () => answers(database));
  t.deepEqual(await database.journal.execute('select 2 as two'), [{ two: 2 }]);
});

test('a network that forgets its connections costs the node neither its name nor its notifications', async (t) => {
  const { database, proxy, url } = await open(t, quick);
  let heard = 0;
  await database.listen('news', () => (heard += 1));
  // The server goes on holding the name for the session that it has not seen die.
  proxy.forget();
  await until('every listener is called once', () => (heard === 1 ? true : undefined));
  await runStatement(url, `select pg_notify('news', '')`);
  await until('notifications come again', () => (heard === 2 ? true : undefined));
  await until('reads are answered', () => answers(database));
  t.is(heard, 2);
});

test('the journal and everybody else do not wait for each other', async (t) => {
  const { database } = await open(
    t,
    { ...withoutBeat, statementMs: 60_000, answerMs: 90_000 },
    { poolSize: 1, journalPoolSize: 1 },
  );
  const held = database.journal.execute('select pg_advisory_lock(1), pg_sleep(12)');
  const queued = Array.from({ length: 20 }, (_, index) =>
    database.journal.execute('select $1 as n', [`${index}`]),
  );
  let journalIsBusy = true;
  void held.then(() => (journalIsBusy = false));
  await database.ping();
  t.true(journalIsBusy, 'a read passes by what the journal waits for');
  // Longer than a statement of the others would wait for a connection, and none is lost.
  await held;
  t.deepEqual(
    (await Promise.all(queued)).flat(),
    Array.from({ length: 20 }, (_, index) => ({ n: `${index}` })),
  );
});

test('the end does not wait for a frozen server', async (t) => {
  const { database, proxy } = await open(t, { ...withoutBeat, answerMs: 3_600_000 });
  await database.ping();
  proxy.freeze();
  const underWay = t.throwsAsync(database.execute('select 1'));
  await proxy.held();
  await Promise.race([
    database.close(),
    sleep(20_000, undefined, { ref: false }).then(() => t.fail('It is still ending')),
  ]);
  await underWay;
});
