/** A database of several servers: the gateway's connections follow the one that takes writes. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import { openDatabase, type Database, type DatabaseLimits } from '#src/persistence/database.ts';
import { serversOf } from '#src/persistence/database-url.ts';
import { copiedDatabase, type CopiedDatabase } from '#test/helpers/copied-database.ts';
import { frozenProxy } from '#test/helpers/frozen-proxy.ts';
import { freePort } from '#test/helpers/free-port.ts';
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

/** As libpq writes them: the hosts of all in the address of the first. */
const together = (...urls: readonly [string, ...string[]]): string => {
  const hosts = urls.map((url) => new URL(url).host);
  return urls[0].replace(new URL(urls[0]).host, hosts.join(','));
};

const open = async (t: ExecutionContext, url: string): Promise<Database> => {
  const database = await openDatabase({
    connection: { url },
    poolSize: 2,
    journalPoolSize: 1,
    limits: quick,
    node: 'several',
    logger: pino({ level: 'silent' }),
  });
  t.teardown(database.close);
  return database;
};

const note = async (database: Database, text: string): Promise<true> => {
  await database.execute('create table if not exists note (text text)');
  await database.journal.execute('insert into note values ($1)', [text]);
  return true;
};

const notes = async (database: Database): Promise<unknown[]> =>
  (await database.execute<{ text: string }>('select text from note order by text')).map(({ text }) => text);

const untilNoted = (database: Database, text: string): Promise<true> =>
  until('it is written again', () => note(database, text).catch(() => undefined));

/** Two servers, and a database that has written to the first of them. */
const written = async (
  t: ExecutionContext,
  urlOf: (servers: CopiedDatabase) => string | Promise<string>,
): Promise<{ servers: CopiedDatabase; database: Database }> => {
  const servers = await copiedDatabase(t);
  const database = await open(t, await urlOf(servers));
  await note(database, 'before');
  return { servers, database };
};

test('the server that takes writes is used, wherever it stands in the list', async (t) => {
  const { database } = await written(t, ({ original, copy }) => together(copy, original));
  t.deepEqual(await notes(database), ['before']);
});

test('when the server is killed, its copy goes on with all that was written, and listeners are called', async (t) => {
  const { servers, database } = await written(t, ({ original, copy }) => together(original, copy));
  let heard = 0;
  await database.listen('news', () => (heard += 1));
  await servers.kill();
  const error = await until('the loss is found', () =>
    note(database, 'lost').then(
      () => undefined,
      (failed: unknown) => failed,
    ),
  );
  t.true(isTransient(error), String(error));
  await servers.promote();
  await untilNoted(database, 'behind');
  t.deepEqual(await notes(database), ['before', 'behind']);
  await until('what may have been missed is looked up', () => (heard > 0 ? true : undefined));
});

test('when the server freezes, its copy goes on', async (t) => {
  let freeze = (): void => {};
  const { servers, database } = await written(t, async ({ original, copy }) => {
    const proxy = await frozenProxy(t, original);
    freeze = proxy.freeze;
    return together(proxy.url, copy);
  });
  freeze();
  t.true(isTransient(await t.throwsAsync(note(database, 'never heard'))));
  await servers.promote();
  await untilNoted(database, 'behind');
  t.deepEqual(await notes(database), ['before', 'behind']);
});

/** One address for both servers, as a proxy of operators has it; `lead` breaks what stood and goes elsewhere. */
const movingAddress = async (t: ExecutionContext, target: string) => {
  let { port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.once('close', () => sockets.delete(socket)));
    pipeline(near, far, near, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = (): void => sockets.forEach((socket) => socket.destroy());
  t.teardown(() => {
    server.close();
    breakAll();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return {
    url: target.replace(new URL(target).host, `127.0.0.1:${address.port}`),
    lead(to: string, { breaks }: { breaks: boolean }) {
      ({ port } = new URL(to));
      if (breaks) breakAll();
    },
  };
};

test('connections that were led to a server that only copies are given up', async (t) => {
  const { original, copy } = await copiedDatabase(t);
  const address = await movingAddress(t, original);
  const database = await open(t, address.url);
  await note(database, 'before');
  address.lead(copy, { breaks: true });
  await until('nothing can be written', () =>
    note(database, 'in vain').then(
      () => undefined,
      (error: unknown) => /read-only/.test(String(error)) || undefined,
    ),
  );
  // Those that stand stay where they are.
  address.lead(original, { breaks: false });
  await untilNoted(database, 'behind');
  t.deepEqual(await notes(database), ['before', 'behind']);
});

test('where no server takes writes, a start is refused and says of each why', async (t) => {
  const { copy } = await copiedDatabase(t);
  const nobody = `127.0.0.1:${await freePort()}`;
  const url = copy.replace(new URL(copy).host, `${nobody},${new URL(copy).host}`);
  const { message } = (await t.throwsAsync(open(t, url), { name: 'StartError' })) ?? { message: '' };
  t.true(message.includes(`${nobody}/postgres (no server listens there)`), message);
  t.true(message.includes(`${new URL(copy).host}/postgres (it only copies another server)`), message);
});

test('each server has the user, the password, the database and the parameters of the list', (t) => {
  t.deepEqual(
    serversOf('postgresql://me:a,b%40c@one.example:5433,[::1],three.example/calls?sslmode=require').map(
      ({ name, address }) => [name, address.connectionString],
    ),
    [
      ['one.example:5433/calls', 'postgresql://me:a,b%40c@one.example:5433/calls?sslmode=require'],
      ['[::1]/calls', 'postgresql://me:a,b%40c@[::1]/calls?sslmode=require'],
      ['three.example/calls', 'postgresql://me:a,b%40c@three.example/calls?sslmode=require'],
    ],
  );
  for (const wrong of ['postgresql://a:x/calls', 'postgresql://a,b:99999/calls', 'http://a,b/calls'])
    t.throws(() => serversOf(wrong), { message: /is not an address such as/ });
  t.throws(() => serversOf('postgresql://a,b'), { message: /names no database/ });
});
