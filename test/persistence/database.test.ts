import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';
import { appendAudit, listAudit } from '#src/persistence/audit-entries.ts';
import { openDatabase, type Database } from '#src/persistence/database.ts';
import { entities } from '#src/persistence/entities/index.ts';
import { migrationTable } from '#src/persistence/migrate.ts';
import { migrations } from '#src/persistence/migrations/index.ts';
import { findWorkspace, createWorkspace } from '#src/persistence/workspaces.ts';
import { testDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { databaseIn, runStatement } from '#test/helpers/database-statement.ts';
import { until } from '#test/helpers/until.ts';

const logger = pino({ level: 'silent' });

const open = async (t: ExecutionContext, url: string, node = 'test'): Promise<Database> => {
  const database = await openDatabase({
    connection: { url },
    poolSize: 2,
    journalPoolSize: 2,
    limits: databaseLimits,
    node,
    logger,
  });
  t.teardown(database.close);
  return database;
};

/** A database that nobody has migrated. */
const emptyDatabaseUrl = async (t: ExecutionContext): Promise<string> => {
  const url = await testDatabaseUrl(t);
  await runStatement(url, 'drop schema public cascade; create schema public');
  return url;
};

test('sixteen gateways that start at once migrate an empty database once', async (t) => {
  const url = await emptyDatabaseUrl(t);
  const databases = await Promise.all(
    Array.from({ length: 16 }, (_, index) => open(t, url, `node ${index}`)),
  );
  const [first] = databases;
  const executed = await first?.execute<{ name: string }>(`select name from ${migrationTable} order by id`);
  t.deepEqual(
    executed?.map(({ name }) => name),
    migrations.map(({ name }) => name),
  );
});

const ormOf = (t: ExecutionContext, url: string) => {
  const orm = new MikroORM({
    entities,
    extensions: [Migrator],
    dbName: new URL(url).pathname.slice(1),
    driverOptions: { connectionString: url },
    migrations: { tableName: migrationTable, migrationsList: migrations, snapshot: false, silent: true },
  });
  t.teardown(() => orm.close(true));
  return orm;
};

test('entries of the audit log that were counted over all workspaces are counted in each', async (t) => {
  const url = await emptyDatabaseUrl(t);
  const orm = ormOf(t, url);
  await orm.migrator.up({ to: '0015-sip-legs' });
  const [one, other] = [randomUUID(), randomUUID()];
  const entry = (workspaceId: string, action: string): string =>
    `insert into audit_entry (workspace_id, actor, action, subject, at, detail)
     values ('${workspaceId}', 'admin', '${action}', 's', now(), '{}')`;
  for (const id of [one, other])
    await runStatement(url, `insert into workspace (id, name, created_at) values ('${id}', 'w', now())`);
  for (const statement of [
    entry(one, 'a'),
    entry(other, 'b'),
    entry(one, 'c'),
    entry(other, 'd'),
    entry(one, 'e'),
  ])
    await runStatement(url, statement);
  await orm.migrator.up();
  const database = await open(t, url);
  await appendAudit(database, {
    workspaceId: one,
    actor: 'admin',
    action: 'f',
    subject: 's',
    at: new Date(),
  });
  const read = async (workspaceId: string) =>
    (await listAudit(database, { workspaceId, limit: 9 })).map(({ id, action }) => `${id} ${action}`);
  t.deepEqual(await read(one), ['4 f', '3 e', '2 c', '1 a']);
  t.deepEqual(await read(other), ['2 d', '1 b']);
});

test('the migrations make what the entities describe', async (t) => {
  const url = await testDatabaseUrl(t);
  const orm = ormOf(t, url);
  t.deepEqual(await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false }), { up: '', down: '' });
  t.false(await orm.migrator.checkSchema());
});

test('a database that a newer version has migrated is refused, and left as it is', async (t) => {
  const url = await testDatabaseUrl(t);
  await runStatement(url, `insert into ${migrationTable} (name) values ('9999-from-the-future')`);
  const error = await t.throwsAsync(open(t, url), { instanceOf: StartError });
  t.regex(error.message, /newer than this version of Trunkline.*9999-from-the-future.*GW_DATABASE_URL/);
});

test('a second gateway with the same name is refused, one with another name is not', async (t) => {
  const url = await testDatabaseUrl(t);
  const first = await open(t, url, 'seoul-1');
  const error = await t.throwsAsync(open(t, url, 'seoul-1'), { instanceOf: StartError });
  t.regex(error.message, /^Another gateway named "seoul-1".*GW_NODE/);
  await t.notThrowsAsync(open(t, url, 'seoul-2'));
  await first.close();
  await t.notThrowsAsync(open(t, url, 'seoul-1'));
});

test('what cannot be connected to is said in one line without the password', async (t) => {
  const server = new URL(await testDatabaseUrl(t));
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  closed.close();
  const cases: [string, RegExp][] = [
    [
      `postgresql://user:hunter2@127.0.0.1:${port}/trunkline`,
      /at 127\.0\.0\.1:\d+\/trunkline .*no server listens/,
    ],
    [databaseIn(server.href, 'no_such_database'), /no such database/],
    ['mysql://user:hunter2@127.0.0.1/trunkline', /is not an address such as postgresql:/],
    ['hunter2', /is not an address/],
    ['postgresql://user:hunter2@127.0.0.1', /names no database/],
  ];
  for (const [url, expected] of cases) {
    const error = await t.throwsAsync(
      openDatabase({
        connection: { url },
        poolSize: 1,
        journalPoolSize: 2,
        limits: databaseLimits,
        node: 'x',
        logger,
      }),
      {
        instanceOf: StartError,
      },
    );
    t.regex(error.message, expected);
    t.regex(error.message, /GW_DATABASE_URL/);
    t.notRegex(error.message, /hunter2|\n/);
  }
});

test('values come back as what they are', async (t) => {
  const db = await testDatabase();
  const at = new Date('2026-11-21T03:04:05.678Z');
  const [row] = await db.execute(
    `select $1::timestamptz as at, $2::bytea as bytes, $3::jsonb as json, $4::text[] as texts, 5000000000::bigint as big,
       1.5::double precision as real, null::text as nothing, $5::text as text`,
    [at, Buffer.from([0, 255]), JSON.stringify({ a: [1] }), ['a', 'b'], "Robert'); drop table call; -- $1 ?"],
  );
  t.deepEqual(row, {
    at,
    bytes: Buffer.from([0, 255]),
    json: { a: [1] },
    texts: ['a', 'b'],
    big: 5_000_000_000,
    real: 1.5,
    nothing: null,
    text: "Robert'); drop table call; -- $1 ?",
  });
});

test('timestamps do not depend on the time zone of the session', async (t) => {
  const url = new URL(await testDatabaseUrl(t));
  url.searchParams.set('options', '-c timezone=Asia/Kolkata');
  const db = await open(t, url.href);
  const id = randomUUID();
  const createdAt = new Date('2026-11-21T03:04:05.678Z');
  await createWorkspace(db, { id, name: 'India', createdAt });
  t.deepEqual((await findWorkspace(db, id))?.createdAt, createdAt);
  t.deepEqual(await db.execute('select created_at from workspace where id = $1', [id]), [
    { created_at: createdAt },
  ]);
});

test('a listener hears its channel until it is ended', async (t) => {
  const db = await open(t, await testDatabaseUrl(t));
  const heard: string[] = [];
  const unlisten = await db.listen('one', () => heard.push('one'));
  await db.listen('one', () => heard.push('also one'));
  await db.execute(`select pg_notify('one', ''), pg_notify('two', '')`);
  await until('both listeners hear it', () => heard.length === 2 || undefined);
  await unlisten();
  await db.execute(`select pg_notify('one', '')`);
  await until('the one that listens hears it', () => heard.length === 3 || undefined);
  t.deepEqual(heard, ['one', 'also one', 'also one']);
});

test('a lost connection comes back by itself, with the name, the channels and one call of each listener', async (t) => {
  const url = await testDatabaseUrl(t);
  const db = await open(t, url, 'lost');
  let heard = 0;
  await db.listen('deliveries', () => (heard += 1));
  const database = new URL(url).pathname.slice(1);
  await runStatement(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
  );
  await until('the listener is called when the connection is back', () => heard === 1 || undefined);
  await db.ping();
  await db.execute(`select pg_notify('deliveries', '')`);
  await until('the listener hears its channel again', () => heard === 2 || undefined);
  await t.throwsAsync(open(t, url, 'lost'), { instanceOf: StartError });
  t.is(heard, 2);
});
