/** The connection to the database: migrations, errors, nodes and sealed columns. */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { Kysely } from 'kysely';
import { DatabaseError, Pool } from 'pg';
import pino from 'pino';
import { z } from 'zod';
import { newNumberKey } from '#src/administration/new-key.ts';
import { StartError } from '#src/domain/start-error.ts';
import { connectionStartError, isTransient } from '#src/persistence/database/connection-errors.ts';
import { type Database, openDatabase } from '#src/persistence/database/database.ts';
import { connectionsOver } from '#src/persistence/database/dialect.ts';
import { entities } from '#src/persistence/database/entities.ts';
import { migrationTable } from '#src/persistence/migrations/migrate.ts';
import { formerMigrations } from '#src/persistence/migrations/former.ts';
import { migrations } from '#src/persistence/migrations/index.ts';
import { NodeConnection } from '#src/persistence/nodes/node-connection.ts';
import { authenticateNumber } from '#src/persistence/numbers/number-keys.ts';
import { resealSecrets } from '#src/persistence/database/resealing.ts';
import { createSealing, type Sealing } from '#src/persistence/database/sealing.ts';
import { legsOf, writeLegs } from '#src/persistence/calls/checkpoint-legs.ts';
import { createWorkspace, findWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { patientLimits } from '#test/helpers/patient-limits.ts';
import { databaseIn, runStatement } from '#test/helpers/database-statement.ts';
import { ownDatabase, testDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { frozenProxy } from '#test/helpers/frozen-proxy.ts';
import { loopbackCertificate } from '#test/helpers/loopback-certificate.ts';
import { encryptedLeg } from '#test/helpers/encrypted-leg.ts';
import { refusingPort } from '#test/helpers/no-server.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

// Database

const logger = pino({ level: 'silent' });

const open = async (t: ExecutionContext, url: string, node = 'test'): Promise<Database> => {
  const database = await openDatabase({
    connection: { url },
    poolSize: 2,
    journalPoolSize: 2,
    limits: patientLimits,
    node,
    logger,
  });
  t.teardown(database.close);
  return database;
};

/** A database without migrations. */
const emptyDatabaseUrl = async (t: ExecutionContext): Promise<string> => {
  const url = await testDatabaseUrl(t);
  await runStatement(url, 'drop schema public cascade; create schema public');
  return url;
};

test.serial('migrates an empty database once when sixteen gateways start at the same time', async (t) => {
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

test.serial('opens a migrated database while another gateway holds the lock for migrations', async (t) => {
  const url = await testDatabaseUrl(t);
  const migrating = await open(t, url, 'migrating');
  await t.notThrowsAsync(migrating.withAdvisoryLock('migrations', () => open(t, url, 'starting')));
});

test.serial('opens the connections that a start needs first at the same time', async (t) => {
  const proxy = await frozenProxy(t, await testDatabaseUrl(t));
  proxy.freeze();
  const opening = open(t, proxy.url);
  await until('three connections wait for the server', () => proxy.connections() === 3 || undefined);
  proxy.thaw();
  await t.notThrowsAsync(opening);
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

/** A database with the tables and the names of migrations of builds before 0.1.0. */
const formerDatabaseUrl = async (t: ExecutionContext, last: string): Promise<string> => {
  const url = await testDatabaseUrl(t);
  const names = Array.from(
    { length: formerMigrations.count - 1 },
    (_, index) => `${String(index + 1).padStart(4, '0')}-former`,
  );
  await runStatement(url, `delete from ${migrationTable}`);
  for (const name of [...names, last])
    await runStatement(url, `insert into ${migrationTable} (name) values ('${name}')`);
  await runStatement(
    url,
    'alter table webhook_endpoint drop last_failure_code, drop last_failure_advice, drop last_success_at, drop cooling_until',
  );
  await runStatement(url, 'alter table delivery_attempt drop code, drop advice');
  await runStatement(url, 'alter table agent_binding drop model, drop prompt, drop tools');
  await runStatement(url, 'alter table number_key drop key_tail');
  await runStatement(url, 'alter table node drop version, drop load');
  await runStatement(url, 'alter table trunk_channel drop legs');
  await runStatement(url, 'drop table call_checkpoint');
  await runStatement(url, 'drop table simulated_callee');
  await runStatement(url, 'drop table rehearsal');
  await runStatement(
    url,
    'create table call_revival (call_id uuid, epoch int, form int, ahead_ms double precision, token_sealed text, headers_sealed jsonb, start jsonb, progress jsonb, left_hangup text)',
  );
  await runStatement(url, 'create table sip_leg (id uuid, call_id uuid, node text, epoch int, leg jsonb)');
  return url;
};

const migrationsIn = async (url: string): Promise<unknown[]> =>
  (await runStatement(url, `select name from ${migrationTable} order by id`)).map(({ name }) => name);

test.serial(
  'migrates a database with the last migration before 0.1.0, including the legs of its calls',
  async (t) => {
    const url = await formerDatabaseUrl(t, formerMigrations.last);
    const leg = randomUUID();
    await runStatement(
      url,
      `insert into sip_leg values ('${leg}', '${leg}', 'seoul-1', 3, '{"transport": "udp"}')`,
    );
    const database = await open(t, url);
    t.deepEqual(
      await migrationsIn(url),
      migrations.map(({ name }) => name),
    );
    t.deepEqual(await runStatement(url, 'select call_id, node, epoch, legs from call_checkpoint'), [
      { call_id: leg, node: 'seoul-1', epoch: 3, legs: { [leg]: { transport: 'udp' } } },
    ]);
    t.deepEqual(await ormOf(t, url).schema.getUpdateSchemaMigrationSQL({ wrap: false }), {
      up: '',
      down: '',
    });
    const id = randomUUID();
    await createWorkspace(database, { id, name: 'w', createdAt: new Date() });
    t.truthy(await findWorkspace(database, id));
  },
);

test.serial(
  'rejects a database with an earlier migration before 0.1.0 and leaves it unchanged',
  async (t) => {
    const url = await formerDatabaseUrl(t, '0072-agent-headers');
    const before = await migrationsIn(url);
    const error = await t.throwsAsync(open(t, url), { instanceOf: StartError });
    t.regex(error.message, /development version.*"0072-agent-headers".*Nothing was changed.*GW_DATABASE_URL/);
    t.deepEqual(await migrationsIn(url), before);
  },
);

test.serial('creates the tables that the entities describe', async (t) => {
  const url = await testDatabaseUrl(t);
  const orm = ormOf(t, url);
  t.deepEqual(await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false }), { up: '', down: '' });
  t.false(await orm.migrator.checkSchema());
});

test.serial('rejects a database migrated by a newer version and leaves it unchanged', async (t) => {
  const url = await testDatabaseUrl(t);
  await runStatement(url, `insert into ${migrationTable} (name) values ('9999-from-the-future')`);
  const error = await t.throwsAsync(open(t, url), { instanceOf: StartError });
  t.regex(error.message, /newer than this version of Trunkline.*9999-from-the-future.*GW_DATABASE_URL/);
});

test.serial('rejects a second gateway with the same name and admits one with another name', async (t) => {
  const url = await testDatabaseUrl(t);
  const first = await open(t, url, 'seoul-1');
  const error = await t.throwsAsync(open(t, url, 'seoul-1'), { instanceOf: StartError });
  t.regex(error.message, /^Another gateway named "seoul-1".*GW_NODE/);
  await t.notThrowsAsync(open(t, url, 'seoul-2'));
  await first.close();
  await t.notThrowsAsync(open(t, url, 'seoul-1'));
});

test.serial('reports a failed connection in one line without the password', async (t) => {
  const server = new URL(await testDatabaseUrl(t));
  const cases: [string, RegExp][] = [
    [
      `postgresql://user:hunter2@127.0.0.1:${refusingPort}/trunkline`,
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
        limits: patientLimits,
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

/** A server that encrypts with a self-signed certificate, or not at all (PostgreSQL, 54.2.10). */
const tlsServer = async (t: ExecutionContext, answer: 'S' | 'N'): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.write(answer);
      if (answer === 'N') return;
      const encrypted = new TLSSocket(socket, { isServer: true, ...loopbackCertificate });
      encrypted.on('error', () => socket.destroy());
    });
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  return `postgresql://user:hunter2@127.0.0.1:${typeof address === 'object' ? address?.port : 0}/trunkline`;
};

const startErrorOf = async (t: ExecutionContext, url: string): Promise<string> => {
  const settings = { poolSize: 1, journalPoolSize: 2, limits: patientLimits, node: 'x', logger };
  const error = await t.throwsAsync(openDatabase({ connection: { url }, ...settings }), {
    instanceOf: StartError,
  });
  return error.message;
};

test.serial(
  'names the certificate parameters in the error for an unknown certificate authority',
  async (t) => {
    const url = await tlsServer(t, 'S');
    for (const mode of ['require', 'verify-full']) {
      const message = await startErrorOf(t, `${url}?sslmode=${mode}`);
      t.regex(message, /not signed by a known authority: .*sslrootcert=FILE.*sslmode=no-verify$/);
      t.notRegex(message, /hunter2|\n/);
    }
  },
);

test.serial('names a missing certificate file, and a server without TLS', async (t) => {
  const missing = await startErrorOf(
    t,
    `${await tlsServer(t, 'S')}?sslmode=require&sslrootcert=/no/such.pem`,
  );
  t.regex(
    missing,
    /the file \/no\/such\.pem that the URL names \(sslrootcert, sslcert, sslkey\) cannot be read$/,
  );
  const plain = await startErrorOf(t, `${await tlsServer(t, 'N')}?sslmode=require`);
  t.regex(plain, /the server does not encrypt: switch TLS on there, or leave sslmode out of the URL$/);
});

test.serial('reads values back with their types', async (t) => {
  const db = await testDatabase('database');
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

test.serial("reads timestamps independently of the session's time zone", async (t) => {
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

test.serial('notifies a listener of its channel until it is stopped', async (t) => {
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

test.serial(
  'reconnects after a lost connection with the name and channels, and notifies each listener once',
  async (t) => {
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
  },
);

// Connection errors

const withCode = (code: string, message = 'Something'): Error => Object.assign(new Error(message), { code });

test('distinguishes transient database errors from permanent ones', (t) => {
  const passing = [
    withCode('ECONNREFUSED'),
    withCode('ECONNRESET'),
    withCode('EPIPE'),
    withCode('ETIMEDOUT'),
    Object.assign(withCode('ENOENT'), { syscall: 'connect' }),
    withCode('57P01'),
    withCode('08006'),
    withCode('53300'),
    withCode('40001'),
    withCode('40P01'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Wrapped', { cause: withCode('ECONNREFUSED') }),
    new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
  ];
  for (const error of passing)
    t.true(isTransient(error), `${error.message} ${String(Reflect.get(error, 'code'))}`);
  const staying = [
    withCode('23505'),
    withCode('42P01'),
    withCode('22P02'),
    Object.assign(withCode('ENOENT'), { syscall: 'open' }),
    new Error('A mistake'),
    'text',
    undefined,
  ];
  for (const error of staying) t.false(isTransient(error), String(error));
});

test('reports a failed start in one line that names the setting, and keeps the cause', (t) => {
  const cause = withCode('XX000', 'Something\nunheard of');
  const error = connectionStartError('db.example/trunkline', cause);
  t.is(
    error.message,
    'Cannot use the database at db.example/trunkline (GW_DATABASE_URL): Something unheard of',
  );
  t.is(error.cause, cause);
});

// Node connection
// The name of a node, which the server still assigns to another session shortly after that ended.

/** A connection to a server that grants the name only after this many requests. */
const clientThatGivesAt = (tries: number) => {
  let left = tries;
  return {
    query({ text }: { text: string }) {
      if (text.includes('pg_stat_activity'))
        return Promise.resolve({ rows: [{ pid: 1, begunAt: 'at the beginning' }] });
      if (!text.includes('lock')) return Promise.resolve({ rows: [] });
      left -= 1;
      return Promise.resolve({ rows: [{ taken: left <= 0 }] });
    },
    // The tests use no other part of a connection.
  } as never;
};

const takes = async (tries: number): Promise<boolean> =>
  (await NodeConnection.begin(clientThatGivesAt(tries), 10_000)).takeName('seoul');

test.serial(
  'waits briefly for a name that is being released, and rejects one in use by another gateway',
  async (t) => {
    t.true(await takes(1));
    t.true(await takes(5));
    t.false(await takes(1_000));
  },
);

test.serial('releases the connection of a transaction that is lost during a statement', async (t) => {
  const database = await open(t, await testDatabaseUrl(t));
  for (let lost = 0; lost < 3; lost += 1)
    await t.throwsAsync(
      database.transaction(({ execute }) => execute('select pg_terminate_backend(pg_backend_pid())')),
    );
  t.deepEqual(await database.execute('select 1 as one'), [{ one: 1 }]);
});

test.serial('releases the connection of a transaction that the server does not begin', async (t) => {
  const pool = new Pool({ connectionString: await testDatabaseUrl(t) });
  t.teardown(() => pool.end());
  pool.on('connect', (client) => {
    const refusal = new DatabaseError('terminating connection due to administrator command', 0, 'error');
    Reflect.set(client, 'query', () => Promise.reject(refusal));
  });
  const queries = new Kysely({ dialect: connectionsOver(pool).dialect });
  await t.throwsAsync(queries.startTransaction().execute(), { message: /terminating connection/ });
  t.is(pool.totalCount, 0);
});

// Sealing

const key = (byte: number): Buffer => Buffer.alloc(32, byte);

test('decrypts an encrypted value in the same context', (t) => {
  const sealing = createSealing(key(1));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, about) => {
      t.is(sealing.open(sealing.seal(plain, about), about), plain);
    }),
  );
  t.pass();
});

test('rejects an encrypted secret in another context', (t) => {
  const sealing = createSealing(key(1));
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (plain, about, other) => {
      fc.pre(about !== other);
      const sealed = sealing.seal(plain, about);
      t.throws(() => sealing.open(sealed, other), { message: /was changed or belongs to something else/ });
    }),
  );
});

test('rejects an encrypted secret that was changed anywhere', (t) => {
  const sealing = createSealing(key(1));
  const sealed = sealing.seal('gw_live_secret', 'number');
  fc.assert(
    fc.property(
      fc.nat({ max: sealed.length - 1 }),
      fc.constantFrom('A', 'b', '7', '_', '.'),
      (index, letter) => {
        const changed = sealed.slice(0, index) + letter + sealed.slice(index + 1);
        // The last letter of base64url may hold unused bits: another letter can encode the same bytes.
        fc.pre(changed !== sealed && !isSameBytes(changed, sealed));
        t.throws(() => sealing.open(changed, 'number'));
      },
    ),
  );
});

const isSameBytes = (left: string, right: string): boolean =>
  JSON.stringify(left.split('.').map((part) => [...Buffer.from(part, 'base64url')])) ===
  JSON.stringify(right.split('.').map((part) => [...Buffer.from(part, 'base64url')]));

test('throws an Error for any text that is not an encrypted secret', (t) => {
  const sealing = createSealing(key(1));
  fc.assert(
    fc.property(fc.string(), (text) => {
      t.throws(() => sealing.open(text, 'number'), { instanceOf: Error });
    }),
  );
});

test('encrypts the same secret differently each time, without revealing it', (t) => {
  const sealing = createSealing(key(1));
  const sealed = new Set(Array.from({ length: 50 }, () => sealing.seal('secret', 'a')));
  t.is(sealed.size, 50);
  for (const text of sealed) t.regex(text, /^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/);
});

test('after a key rotation, decrypts and matches with the older key, and encrypts with the new one', (t) => {
  const old = createSealing(key(1));
  const rotated = createSealing(key(2), [key(1)]);
  t.is(rotated.open(old.seal('secret', 'a'), 'a'), 'secret');
  t.true(rotated.fingerprints('secret').some((print) => print.equals(old.fingerprint('secret'))));
  t.deepEqual(rotated.fingerprints('secret')[0], rotated.fingerprint('secret'));
  t.throws(() => old.open(rotated.seal('secret', 'a'), 'a'), { message: /another master key/ });
});

test('computes a fingerprint from the secret and the master key', (t) => {
  const sealing = createSealing(key(1));
  t.deepEqual(sealing.fingerprint('a'), createSealing(key(1)).fingerprint('a'));
  t.notDeepEqual(sealing.fingerprint('a'), sealing.fingerprint('b'));
  t.notDeepEqual(sealing.fingerprint('a'), createSealing(key(2)).fingerprint('a'));
  t.is(sealing.fingerprint('a').length, 32);
});

test('omits secret and encrypted text from errors', (t) => {
  const sealed = createSealing(randomBytes(32)).seal('gw_live_secret', 'number');
  const error = t.throws(() => createSealing(key(9)).open(sealed, 'number'));
  t.notRegex(error.message, /gw_live/);
  t.false(error.message.includes(sealed.slice(-20)));
});

test('rejects a master key of another length', (t) => {
  t.throws(() => createSealing(Buffer.alloc(16)), { message: /32 bytes/ });
  t.throws(() => createSealing(key(1), [Buffer.alloc(31)]), { message: /32 bytes/ });
});

// Resealing

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const old = createSealing(oldKey);
const both = createSealing(newKey, [oldKey]);
const newest = createSealing(newKey);

/** A number with a secret of every kind, sealed with this key. */
const secretsSealedBy = async (db: Database, sealing: Sealing) => {
  const { queries } = db;
  const { numberId, workspaceId } = await storedNumber(db);
  const [key, trunkId, webhookId] = [newNumberKey(), randomUUID(), randomUUID()];
  await queries
    .insertInto('NumberKey')
    .values({
      numberId,
      keyHash: sealing.fingerprint(key),
      keySealed: sealing.seal(key, numberId),
      issuedAt: new Date(),
    })
    .onConflict((conflict) =>
      conflict.column('numberId').doUpdateSet(({ ref }) => ({
        keyHash: ref('excluded.keyHash'),
        keySealed: ref('excluded.keySealed'),
      })),
    )
    .execute();
  for (const direction of ['inbound', 'outbound'] as const)
    await queries
      .insertInto('AgentBinding')
      .values({
        numberId,
        direction,
        agent: 'endpoint',
        tokenSealed: sealing.seal(direction, numberId),
        headersSealed: {
          'x-api-key': sealing.seal(`key of ${direction}`, numberId),
          'x-route': sealing.seal(`route of ${direction}`, numberId),
        },
      })
      .execute();
  await queries
    .updateTable('PhoneNumber')
    .set({
      inboundAuthMethod: 'handshake',
      inboundAuthUrl: 'https://example.com/',
      inboundAuthSecretSealed: sealing.seal('handshake', numberId),
    })
    .where('id', '=', numberId)
    .execute();
  await queries
    .insertInto('TrunkRow')
    .values({
      id: trunkId,
      workspaceId,
      name: 'carrier',
      host: 'sip.example.com',
      transport: 'udp',
      passwordSealed: sealing.seal('password', trunkId),
      register: false,
      numberFormat: 'e164',
      callerId: 'from',
      privacy: false,
      priority: 1,
      weight: 1,
      inboundAddresses: [],
      inboundAuth: 'none',
      healthCheck: false,
      enabled: true,
      createdAt: new Date(),
    })
    .execute();
  await queries
    .insertInto('WebhookEndpoint')
    .values({
      id: webhookId,
      workspaceId,
      url: 'https://example.com/',
      secretSealed: sealing.seal('new', webhookId),
      previousSecretSealed: sealing.seal('previous', webhookId),
      createdAt: new Date(),
    })
    .execute();
  const callId = randomUUID();
  const { scriptSealed, tokenSealed, headersSealed } = {
    scriptSealed: sealing.seal('script', callId),
    tokenSealed: sealing.seal('token of the call', callId),
    headersSealed: {
      'x-api-key': sealing.seal('key of the call', callId),
      'x-route': sealing.seal('route of the call', callId),
    },
  };
  await queries
    .insertInto('CallCheckpoint')
    .values({
      callId,
      node: 'one',
      form: 1,
      settings: { greeting: 'Good day.', scriptSealed },
      tokenSealed,
      headersSealed,
    })
    .execute();
  return { numberId, key, trunkId, webhookId, callId };
};

/** Every secret of the number, decrypted with only these keys. */
const opened = async (
  db: Database,
  { numberId, trunkId, webhookId, callId }: Awaited<ReturnType<typeof secretsSealedBy>>,
  sealing: Sealing,
) => {
  const { queries } = db;
  const open = (sealed: string | null, about: string) => sealed && sealing.open(sealed, about);
  const number = await queries
    .selectFrom('PhoneNumber')
    .select('inboundAuthSecretSealed')
    .where('id', '=', numberId)
    .executeTakeFirstOrThrow();
  const trunk = await queries
    .selectFrom('TrunkRow')
    .select('passwordSealed')
    .where('id', '=', trunkId)
    .executeTakeFirstOrThrow();
  const webhook = await queries
    .selectFrom('WebhookEndpoint')
    .select(['secretSealed', 'previousSecretSealed'])
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();
  const bindings = await queries
    .selectFrom('AgentBinding')
    .select(['tokenSealed', 'headersSealed'])
    .where('numberId', '=', numberId)
    .orderBy('direction')
    .execute();
  const call = await queries
    .selectFrom('CallCheckpoint')
    .select(['tokenSealed', 'headersSealed', 'settings'])
    .where('callId', '=', callId)
    .executeTakeFirstOrThrow();
  const { scriptSealed, ...settings } = z.looseObject({ scriptSealed: z.string() }).parse(call.settings);
  return [
    ...bindings.flatMap(({ tokenSealed, headersSealed }) => [
      open(tokenSealed, numberId),
      open(headersSealed['x-api-key'] ?? null, numberId),
      open(headersSealed['x-route'] ?? null, numberId),
    ]),
    open(number.inboundAuthSecretSealed, numberId),
    open(trunk.passwordSealed, trunkId),
    open(webhook.secretSealed, webhookId),
    open(webhook.previousSecretSealed, webhookId),
    open(call.tokenSealed, callId),
    open(call.headersSealed?.['x-api-key'] ?? null, callId),
    open(call.headersSealed?.['x-route'] ?? null, callId),
    open(scriptSealed, callId),
    settings,
  ];
};

const counts = async (t: ExecutionContext, db: Database, expected: Record<string, [number, number]>) =>
  t.deepEqual(
    Object.fromEntries(
      (await resealSecrets(db, both)).map(({ kind, resealed, unreadable }) => [kind, [resealed, unreadable]]),
    ),
    {
      number_keys: [0, 0],
      agent_tokens: [0, 0],
      agent_headers: [0, 0],
      handshake_secrets: [0, 0],
      trunk_passwords: [0, 0],
      webhook_secrets: [0, 0],
      call_keys: [0, 0],
      call_tokens: [0, 0],
      call_headers: [0, 0],
      call_scripts: [0, 0],
      ...expected,
    },
  );

test.serial(
  "after re-encryption, the newest key alone decrypts every secret and recognizes a number's key",
  async (t) => {
    const db = await ownDatabase(t);
    const stored = await secretsSealedBy(db, old);
    t.is(await authenticateNumber(db, newest, stored.key), undefined);
    await counts(t, db, {
      number_keys: [1, 0],
      agent_tokens: [2, 0],
      agent_headers: [4, 0],
      handshake_secrets: [1, 0],
      trunk_passwords: [1, 0],
      webhook_secrets: [2, 0],
      call_tokens: [1, 0],
      call_headers: [2, 0],
      call_scripts: [1, 0],
    });
    t.deepEqual(await opened(db, stored, newest), [
      'inbound',
      'key of inbound',
      'route of inbound',
      'outbound',
      'key of outbound',
      'route of outbound',
      'handshake',
      'password',
      'new',
      'previous',
      'token of the call',
      'key of the call',
      'route of the call',
      'script',
      { greeting: 'Good day.' },
    ]);
    t.is((await authenticateNumber(db, newest, stored.key))?.id, stored.numberId);
    await counts(t, db, {});
  },
);

test.serial('counts secrets that no key decrypts and leaves them unchanged', async (t) => {
  const db = await ownDatabase(t);
  const stranger = createSealing(Buffer.alloc(32, 9));
  const stored = await secretsSealedBy(db, stranger);
  await counts(t, db, {
    number_keys: [0, 1],
    agent_tokens: [0, 2],
    agent_headers: [0, 4],
    handshake_secrets: [0, 1],
    trunk_passwords: [0, 1],
    webhook_secrets: [0, 2],
    call_tokens: [0, 1],
    call_headers: [0, 2],
    call_scripts: [0, 1],
  });
  t.true((await opened(db, stored, stranger)).includes('previous'));
});

test.serial('re-encryption covers every sealed column', async (t) => {
  const db = await ownDatabase(t);
  await secretsSealedBy(db, old);
  const columns = await db.execute<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
     where table_schema = 'public' and column_name like '%sealed%'`,
    [],
  );
  t.true(columns.length >= 9);
  const values = async (): Promise<string[]> => {
    const rows = columns.map(({ table, column }) =>
      db.execute<{ value: string }>(
        `select ${column}::text as value from ${table} where ${column} is not null`,
        [],
      ),
    );
    return (await Promise.all(rows)).map((found) => found.map(({ value }) => value).join(' '));
  };
  const unfilled = (await values()).flatMap((value, index) => (value === '' ? (columns[index] ?? []) : []));
  t.deepEqual(unfilled, [], 'a new sealed column belongs into this test');
  await resealSecrets(db, both);
  for (const value of await values()) {
    t.false(value.includes(`v1.${old.keyId}.`));
    t.true(value.includes(`v1.${newest.keyId}.`));
  }
});

test.serial('after re-encryption, only the newest key decrypts the SRTP keys of active calls', async (t) => {
  const db = await ownDatabase(t);
  const [id, strange, plain] = [randomUUID(), randomUUID(), randomUUID()];
  const held = { callId: randomUUID(), epoch: 1, legs: [{ id, leg: encryptedLeg }] };
  await writeLegs(db, old, 'one', { stored: [held], over: [] });
  const withoutDialog = { ...encryptedLeg, dialog: null };
  t.deepEqual(
    await legsOf(db, newest, 'one'),
    [{ ...held, legs: [{ id, leg: withoutDialog }] }],
    'it can be ended alone',
  );
  await writeLegs(db, createSealing(Buffer.alloc(32, 9)), 'another', {
    stored: [{ callId: randomUUID(), epoch: 1, legs: [{ id: strange, leg: encryptedLeg }] }],
    over: [],
  });
  const unencrypted = { ...encryptedLeg, state: 'inviting' as const, dialog: null };
  await writeLegs(db, old, 'another', {
    stored: [{ callId: randomUUID(), epoch: 1, legs: [{ id: plain, leg: unencrypted }] }],
    over: [],
  });
  await counts(t, db, { call_keys: [2, 2] });
  t.deepEqual(await legsOf(db, newest, 'one'), [held]);
  await counts(t, db, { call_keys: [0, 2] });
});
