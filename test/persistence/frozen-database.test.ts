/** The gateway's connections while the database server does not answer. */
import test, { type ExecutionContext } from 'ava';
import { Client } from 'pg';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { DatabaseAway, isTransient } from '#src/persistence/database/connection-errors.ts';
import { openDatabase, type Database, type DatabaseLimits } from '#src/persistence/database/database.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { frozenProxy } from '#test/helpers/frozen-proxy.ts';
import { heldLimit } from '#test/helpers/held-timers.ts';
import { until } from '#test/helpers/until.ts';

type Settings = Partial<Pick<DatabaseLimits, 'beatMs' | 'statementMs'>> & { poolSize?: number };

/** Opens a database whose limits expire when the test triggers them. */
const open = async (t: ExecutionContext, { poolSize = 2, ...given }: Settings) => {
  const url = await testDatabaseUrl(t);
  const proxy = await frozenProxy(t, url);
  const [connect, answer, beatAnswer] = [heldLimit(), heldLimit(), heldLimit()];
  const limits: DatabaseLimits = {
    ...databaseLimits,
    connectMs: connect.milliseconds,
    answerMs: answer.milliseconds,
    beatAnswerMs: beatAnswer.milliseconds,
    endMs: 200,
    // The node detects no loss by itself unless a test sets another interval.
    beatMs: 3_600_000,
    statementMs: 60_000,
    ...given,
  };
  const database = await openDatabase({
    connection: { url: proxy.url },
    poolSize,
    journalPoolSize: 1,
    limits,
    node: 'frozen',
    logger: pino({ level: 'silent' }),
  });
  t.teardown(database.close);
  return { database, proxy, url, limits: { connect, answer, beatAnswer } };
};

const answers = async (database: Database): Promise<true | undefined> =>
  database.ping().then(
    () => true,
    () => undefined,
  );

for (const lane of ['reads and writes', 'the journal'] as const) {
  test(`${lane}: fails a statement at its time limit on a frozen server, and replaces its connection`, async (t) => {
    const { database, proxy, limits } = await open(t, { poolSize: 1 });
    const { execute } = lane === 'the journal' ? database.journal : database;
    await execute('select 1');
    proxy.freeze();
    const failing = t.throwsAsync(execute('select 1'));
    await proxy.held();
    limits.answer.expire();
    const error = await failing;
    t.true(isTransient(error), error?.message);
    t.regex(String(error), /timeout/i);
    // The pool has one connection, which never responds again.
    proxy.forget();
    proxy.thaw();
    t.deepEqual(await execute('select 2 as two'), [{ two: 2 }]);
  });
}

test('the server cancels a statement that takes too long and keeps its connection open', async (t) => {
  const { database } = await open(t, { poolSize: 1, statementMs: 1_000 });
  const execute = (sql: string): Promise<unknown> => database.entityManager().execute(sql);
  const backend = () =>
    until('the server answers within its limit', () =>
      execute('select pg_backend_pid() as pid').catch(() => undefined),
    );
  const before = await backend();
  const error = await t.throwsAsync(execute('select pg_sleep(3600)'), {
    message: /statement timeout/,
  });
  t.true(isTransient(error));
  t.deepEqual(await backend(), before);
});

test('detects a frozen server without a statement; then statements fail at once until the server responds', async (t) => {
  const { database, proxy, limits } = await open(t, { beatMs: 100 });
  await database.ping();
  proxy.freeze();
  await proxy.held();
  limits.beatAnswer.expire();
  await until('the loss is detected', async () =>
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

test('fails a pending statement when the server is detected as frozen, before its own time limit', async (t) => {
  const { database, proxy, limits } = await open(t, { beatMs: 100 });
  await database.execute('select 1');
  proxy.freeze();
  let error: unknown;
  database.execute('select 1').catch((failure: unknown) => (error = failure));
  await until('it has failed', () => {
    // The node checks at some moment after the freeze.
    limits.beatAnswer.expire();
    return error === undefined ? undefined : true;
  });
  t.true(isTransient(error), String(error));
  proxy.thaw();
  await until('it answers again', () => answers(database));
});

test('the node checks its connection with one query at a time', async (t) => {
  const { database } = await open(t, {});
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  const stops = await Promise.all(['one', 'two', 'three'].map((name) => database.listen(name, () => {})));
  await Promise.all(stops.map((stop) => stop()));
  await database.ping();
  t.deepEqual(warnings, []);
});

test("keeps the node's name and notifications when the network drops its connections", async (t) => {
  const { database, proxy, url, limits } = await open(t, { beatMs: 100 });
  let heard = 0;
  await database.listen('news', () => (heard += 1));
  // The server still holds the name for the session whose loss it has not noticed.
  proxy.forget();
  await proxy.held();
  limits.beatAnswer.expire();
  await until('every listener is called once', () => (heard === 1 ? true : undefined));
  await runStatement(url, `select pg_notify('news', '')`);
  await until('notifications arrive again', () => (heard === 2 ? true : undefined));
  await until('reads are answered', () => answers(database));
  t.is(heard, 2);
});

test('writes of the journal and other statements do not wait for each other', async (t) => {
  const { database, url, limits } = await open(t, { poolSize: 1 });
  const locking = new Client({ connectionString: url });
  await locking.connect();
  t.teardown(() => locking.end());
  await locking.query('select pg_advisory_lock(1)');
  let journalIsBusy = true;
  const held = database.journal.execute('select pg_advisory_lock(1)').finally(() => (journalIsBusy = false));
  const queued = Array.from({ length: 20 }, (_, index) =>
    database.journal.execute('select $1 as n', [`${index}`]),
  );
  await database.ping();
  t.true(journalIsBusy, 'a read does not wait for the journal');
  await until('the journal is connected and waits for the lock', async () => {
    const waiting = await locking.query(
      `select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
       where locktype = 'advisory' and not granted and datname = current_database()`,
    );
    return waiting.rows[0];
  });
  // Other statements would fail by now; those of the journal wait for a connection without a time limit.
  limits.connect.expire();
  await locking.query('select pg_advisory_unlock(1)');
  await held;
  t.deepEqual(
    (await Promise.all(queued)).flat(),
    Array.from({ length: 20 }, (_, index) => ({ n: `${index}` })),
  );
});

test('closes without waiting for a frozen server', async (t) => {
  const { database, proxy } = await open(t, {});
  await database.ping();
  proxy.freeze();
  const underWay = t.throwsAsync(database.execute('select 1'));
  await proxy.held();
  await database.close();
  await underWay;
});
