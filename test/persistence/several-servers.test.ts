/** A database of several servers: connections follow the one that accepts writes. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import {
  openDatabase,
  type Database,
  type DatabaseLimits,
  serversOf,
} from '#src/persistence/database/database.ts';
import { fileScope } from '#test/helpers/file-scope.ts';
import { copiedDatabase, type CopiedDatabase } from '#test/helpers/copied-database.ts';
import { frozenProxy } from '#test/helpers/frozen-proxy.ts';
import { heldLimit } from '#test/helpers/held-timers.ts';
import { until } from '#test/helpers/until.ts';

/** The address of several servers as libpq writes it: all hosts in one URL. */
const together = (...urls: readonly [string, ...string[]]): string => {
  const hosts = urls.map((url) => new URL(url).host);
  return urls[0].replace(new URL(urls[0]).host, hosts.join(','));
};

/** Opens a database whose limits expire when the test triggers them. */
const open = async (t: ExecutionContext, url: string, node = 'several') => {
  const held = { connect: heldLimit(), answer: heldLimit(), beatAnswer: heldLimit() };
  const limits: DatabaseLimits = {
    ...databaseLimits,
    connectMs: held.connect.milliseconds,
    statementMs: 60_000,
    answerMs: held.answer.milliseconds,
    beatMs: 100,
    beatAnswerMs: held.beatAnswer.milliseconds,
    endMs: 200,
  };
  const database = await openDatabase({
    connection: { url },
    poolSize: 2,
    journalPoolSize: 1,
    limits,
    node,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(database.close);
  return { database, held };
};

const note = async (database: Database, text: string, table = 'note'): Promise<true> => {
  await database.execute(`create table if not exists ${table} (text text)`);
  await database.journal.execute(`insert into ${table} values ($1)`, [text]);
  return true;
};

const notes = async (database: Database, table = 'note'): Promise<unknown[]> =>
  (await database.execute<{ text: string }>(`select text from ${table} order by text`)).map(
    ({ text }) => text,
  );

const untilNoted = (database: Database, text: string): Promise<true> =>
  until('it is written again', () => note(database, text).catch(() => undefined));

const scope = fileScope();
let starting: Promise<CopiedDatabase> | undefined;
/** Servers for tests that do not change them. */
const sharedServers = (): Promise<CopiedDatabase> => (starting ??= copiedDatabase(scope));

test('connects to the server that accepts writes, at any place in the list', async (t) => {
  const { original, copy } = await sharedServers();
  const { database } = await open(t, together(copy, original), 'first');
  await note(database, 'before', 'first');
  t.deepEqual(await notes(database, 'first'), ['before']);
});

test('after the primary is killed, its standby has every write and listeners are notified', async (t) => {
  const servers = await copiedDatabase(t);
  const { database } = await open(t, together(servers.original, servers.copy));
  await note(database, 'before');
  let heard = 0;
  await database.listen('news', () => (heard += 1));
  await servers.kill();
  const error = await until('the loss is detected', () =>
    note(database, 'lost').then(
      () => undefined,
      (failed: unknown) => failed,
    ),
  );
  t.true(isTransient(error), String(error));
  await servers.promote();
  await untilNoted(database, 'behind');
  t.deepEqual(await notes(database), ['before', 'behind']);
  await until('listeners are called', () => (heard > 0 ? true : undefined));
});

test('after the primary freezes, connects to its standby', async (t) => {
  const servers = await copiedDatabase(t);
  const proxy = await frozenProxy(t, servers.original);
  const { database, held } = await open(t, together(proxy.url, servers.copy));
  await note(database, 'before');
  proxy.freeze();
  const failing = t.throwsAsync(note(database, 'lost'));
  await held.answer.untilPending();
  held.answer.expire();
  t.true(isTransient(await failing));
  await held.beatAnswer.untilPending();
  held.beatAnswer.expire();
  await servers.promote();
  // An attempt that began before the promotion waits for the frozen server.
  held.connect.expire();
  await untilNoted(database, 'behind');
  t.deepEqual(await notes(database), ['before', 'behind']);
});

/** One address for both servers, like a load balancer; `lead` changes its target and breaks connections. */
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

test('replaces connections to a server that became read-only', async (t) => {
  const { original, copy } = await sharedServers();
  const address = await movingAddress(t, original);
  const { database } = await open(t, address.url, 'moved');
  await note(database, 'before');
  address.lead(copy, { breaks: true });
  await until('writes fail', () =>
    note(database, 'in vain').then(
      () => undefined,
      (error: unknown) => /read-only/.test(String(error)) || undefined,
    ),
  );
  // Existing connections stay where they are.
  address.lead(original, { breaks: false });
  await untilNoted(database, 'behind');
  t.deepEqual(await notes(database), ['before', 'behind']);
});

test('fails the start if no server accepts writes, with the reason for each server', async (t) => {
  const { copy } = await sharedServers();
  const nobody = '127.0.0.1:1';
  const url = copy.replace(new URL(copy).host, `${nobody},${new URL(copy).host}`);
  const { message } = (await t.throwsAsync(open(t, url), { name: 'StartError' })) ?? { message: '' };
  t.true(message.includes(`${nobody}/postgres (no server listens there)`), message);
  t.true(message.includes(`${new URL(copy).host}/postgres (it only copies another server)`), message);
});

test('replaces a TLS mode that pg warns about by the mode that it means', (t) => {
  const modeOf = (parameters: string) =>
    serversOf(`postgresql://one.example/calls${parameters}`)[0].address.connectionString?.split('calls')[1];
  for (const mode of ['prefer', 'require', 'verify-ca'])
    t.is(modeOf(`?a=b&sslmode=${mode}&sslrootcert=c`), '?a=b&sslmode=verify-full&sslrootcert=c');
  for (const parameters of ['', '?sslmode=no-verify', '?sslmode=require&uselibpqcompat=true'])
    t.is(modeOf(parameters), parameters);
});

test('applies user, password, database and parameters to each server of a list', (t) => {
  t.deepEqual(
    serversOf('postgresql://me:a,b%40c@one.example:5433,[::1],three.example/calls?sslmode=require').map(
      ({ name, address }) => [name, address.connectionString],
    ),
    [
      ['one.example:5433/calls', 'postgresql://me:a,b%40c@one.example:5433/calls?sslmode=verify-full'],
      ['[::1]/calls', 'postgresql://me:a,b%40c@[::1]/calls?sslmode=verify-full'],
      ['three.example/calls', 'postgresql://me:a,b%40c@three.example/calls?sslmode=verify-full'],
    ],
  );
  for (const wrong of ['postgresql://a:x/calls', 'postgresql://a,b:99999/calls', 'http://a,b/calls'])
    t.throws(() => serversOf(wrong), { message: /is not an address such as/ });
  t.throws(() => serversOf('postgresql://a,b'), { message: /names no database/ });
});
