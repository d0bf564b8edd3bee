/** The embedded PostgreSQL server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import { type Database, openDatabase } from '#src/persistence/database/database.ts';
import { keepRunning } from '#src/persistence/embedded/keep-running.ts';
import { findPostmaster, type Postmaster } from '#src/persistence/embedded/postmaster.ts';
import { type EmbeddedDatabase, startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import { visitEmbedded } from '#src/persistence/embedded/visit-embedded.ts';
import { createWorkspace, firstWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { patientLimits } from '#test/helpers/patient-limits.ts';
import { until } from '#test/helpers/until.ts';

// Start embedded

const logger = pino({ level: 'silent' });

const dataFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline embedded, '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const start = async (t: ExecutionContext, folder: string): Promise<EmbeddedDatabase> => {
  const embedded = await startEmbedded({ dataFolder: folder, logger });
  t.teardown(embedded.stop);
  return embedded;
};

const openEmbedded = async (t: ExecutionContext, { connection }: EmbeddedDatabase): Promise<Database> => {
  const database = await openDatabase({
    connection,
    poolSize: 2,
    journalPoolSize: 2,
    limits: patientLimits,
    node: 'test',
    logger,
  });
  t.teardown(database.close);
  return database;
};

const cluster = (folder: string): string => join(folder, 'postgresql', 'cluster');

/** A folder for PATH whose only program, `unshare`, leaves a file beside itself. */
const folderOfUnshare = async (t: ExecutionContext): Promise<string> => {
  const folder = await dataFolder(t);
  await writeFile(join(folder, 'unshare'), '#!/bin/sh\n: > "${0%/*}/was-run"\nexit 1\n', { mode: 0o755 });
  return folder;
};

const pidIn = async (folder: string): Promise<number> => {
  const postmaster = await findPostmaster(cluster(folder));
  if (postmaster === undefined) throw new Error('No server runs');
  return postmaster.pid;
};

test.serial('keeps stored data across a restart', async (t) => {
  const folder = await dataFolder(t);
  const first = await startEmbedded({ dataFolder: folder, logger });
  t.false(first.isAdopted);
  const before = await openEmbedded(t, first);
  await createWorkspace(before, { id: crypto.randomUUID(), name: 'Kept', createdAt: new Date() });
  await before.close();
  await first.stop();
  t.is(await findPostmaster(cluster(folder)), undefined);

  const after = await openEmbedded(t, await start(t, folder));
  t.is((await firstWorkspace(after))?.name, 'Kept');
  const [settings] = await after.execute(
    `select current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses,
       current_setting('server_encoding') as encoding, 'Ä' < 'Z' as "isSortedByAlphabet", upper('ä') as upper`,
  );
  t.deepEqual(settings, {
    fsync: 'on',
    addresses: '',
    encoding: 'UTF8',
    isSortedByAlphabet: false,
    upper: 'Ä',
  });
});

test.serial('takes over a server that a killed gateway left running', async (t) => {
  const folder = await dataFolder(t);
  const gateway = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import pino from 'pino';
       const { startEmbedded } = await import(${JSON.stringify(import.meta.resolve('#src/persistence/embedded/start-embedded.ts'))});
       await startEmbedded({ dataFolder: ${JSON.stringify(folder)}, logger: pino({ level: 'silent' }) });
       console.log('ready');
       setInterval(() => {}, 1000);`,
    ],
    { cwd: process.cwd(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(gateway.stdout, 'data');
  const pid = await pidIn(folder);
  const error = await t.throwsAsync(startEmbedded({ dataFolder: folder, logger }), {
    instanceOf: StartError,
  });
  t.regex(error.message, /^Another gateway uses the data folder .*GW_DATA_DIR/);
  gateway.kill('SIGKILL');
  await once(gateway, 'exit');

  const { PATH } = process.env;
  const programs = await folderOfUnshare(t);
  process.env['PATH'] = programs;
  t.teardown(() => Object.assign(process.env, { PATH }));
  const adopted = await start(t, folder);
  Object.assign(process.env, { PATH });
  t.true(adopted.isAdopted);
  t.deepEqual(await readdir(programs), ['unshare'], 'the calls of the gateway wait for no other program');
  t.is(await pidIn(folder), pid);
  await (await openEmbedded(t, adopted)).ping();
  await adopted.stop();
  t.is(await findPostmaster(cluster(folder)), undefined);
});

test.serial('restarts a killed server and keeps committed data', async (t) => {
  const folder = await dataFolder(t);
  const embedded = await start(t, folder);
  const database = await openEmbedded(t, embedded);
  const killed = await pidIn(folder);
  await createWorkspace(database, { id: crypto.randomUUID(), name: 'Kept', createdAt: new Date() });
  process.kill(killed, 'SIGKILL');
  // A process of the killed server may finish its client's work a little later.
  await until('another server runs', async () => {
    const postmaster = await findPostmaster(cluster(folder));
    return postmaster === undefined || postmaster.pid === killed ? undefined : true;
  });
  const kept = await until('it answers again', () => firstWorkspace(database).catch(() => undefined));
  t.is(kept.name, 'Kept');
  await database.close();
  await embedded.stop();
  t.is(await findPostmaster(cluster(folder)), undefined, 'the one that runs now is ended');
});

test.serial('does not restart a server that ends while it is being stopped', async (t) => {
  const folder = await dataFolder(t);
  const embedded = await startEmbedded({ dataFolder: folder, logger });
  const pid = await pidIn(folder);
  const { kill } = process;
  t.teardown(() => Object.assign(process, { kill }));
  let wasTold = false;
  Object.assign(process, {
    kill(to: number, signal: NodeJS.Signals | 0) {
      if (to !== pid || signal !== 'SIGINT') return kill.call(process, to, signal);
      wasTold = true;
      kill.call(process, to, 'SIGKILL');
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', syscall: 'kill' });
    },
  });
  await embedded.stop();
  t.true(wasTold);
  t.is(await findPostmaster(cluster(folder)), undefined);
});

test.serial('recovers from a start that was interrupted while creating the database cluster', async (t) => {
  const folder = await dataFolder(t);
  const unfinished = join(folder, 'postgresql', 'cluster.new');
  await mkdir(unfinished, { recursive: true });
  await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
  await (await openEmbedded(t, await start(t, folder))).ping();
  t.pass();
});

test.serial(
  'uses a shorter path for the socket if the path is too long, and removes it afterwards',
  async (t) => {
    const folder = join(await dataFolder(t), 'long'.repeat(20), 'path'.repeat(20));
    const embedded = await startEmbedded({ dataFolder: folder, logger });
    const { socketFolder } = embedded.connection;
    t.true(socketFolder.length < 86);
    await (await openEmbedded(t, embedded)).ping();
    await embedded.stop();
    await t.throwsAsync(readFile(join(socketFolder, 'owner')), { code: 'ENOENT' });
  },
);

test.serial('reports an unusable data folder in one line', async (t) => {
  const folder = await dataFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  const error = await t.throwsAsync(startEmbedded({ dataFolder: file, logger }), { instanceOf: StartError });
  t.regex(error.message, /cannot use the data folder .*file \(GW_DATA_DIR\): it is not a folder$/);
});

test.serial('reports a data folder of another PostgreSQL version in one line', async (t) => {
  const folder = await dataFolder(t);
  await mkdir(cluster(folder), { recursive: true });
  await writeFile(join(cluster(folder), 'PG_VERSION'), '17\n');
  const error = await t.throwsAsync(startEmbedded({ dataFolder: folder, logger }), {
    instanceOf: StartError,
  });
  t.regex(error.message, /made by PostgreSQL 17.*GW_DATA_DIR/);
});

test.serial('names the setting to use instead if the PostgreSQL programs are missing', async (t) => {
  const { arch } = process;
  Object.defineProperty(process, 'arch', { value: 'mips' });
  t.teardown(() => Object.defineProperty(process, 'arch', { value: arch }));
  const folder = await dataFolder(t);
  const error = await t.throwsAsync(startEmbedded({ dataFolder: folder, logger }), {
    instanceOf: StartError,
  });
  t.regex(error.message, /no embedded database for this machine .*-mips.*set GW_DATABASE_URL/);
});

// Keep running

const server: Postmaster = { pid: 1_001, isReady: true };

/** A server that can be killed, and the messages of its supervisor. */
const keptServer = (
  bringUp: (signal: AbortSignal) => Promise<Postmaster>,
  isAlive: (pid: number) => boolean = () => false,
) => {
  let running: Postmaster | undefined = server;
  let finds = 0;
  const logged: string[] = [];
  const kept = keepRunning({
    server,
    isAlive,
    async find() {
      finds += 1;
      return running;
    },
    bringUp: async (signal) => (running = await bringUp(signal)),
    logger: pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
  });
  return { kept, logged, finds: () => finds, kill: () => (running = undefined) };
};

test.serial('retries a server that does not start at once and reports progress', async (t) => {
  let tries = 0;
  const { kept, logged, kill } = keptServer(async () => {
    tries += 1;
    if (tries === 1) throw new Error('Not yet');
    return { pid: 1_002, isReady: true };
  });
  t.teardown(kept.stop);
  kill();
  await until('it is back', () => (logged.length === 3 ? true : undefined));
  t.deepEqual(logged, [
    'the embedded database ended unexpectedly; it is started again',
    'the embedded database did not start; another start follows',
    'the embedded database runs again',
  ]);
});

test.serial('starts a server again whose process id another program has', async (t) => {
  let looks = 0;
  const { kept, logged, finds, kill } = keptServer(
    async () => ({ pid: 1_002, isReady: true }),
    () => (looks += 1) > 0,
  );
  t.teardown(kept.stop);
  kill();
  await until('it is back', () => (logged.length === 2 ? true : undefined));
  t.is(finds(), 1);
  t.true(looks > 10, 'an existing process is only looked at');
});

test.serial('aborts a pending start at shutdown and begins no other', async (t) => {
  let tries = 0;
  const { kept, logged, kill } = keptServer(async (signal) => {
    tries += 1;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    throw signal.reason;
  });
  kill();
  await until('a start is under way', () => (tries === 1 ? true : undefined));
  await kept.stop();
  t.is(tries, 1);
  t.is(logged.length, 1);
});

// Visit embedded

const openVisited = (connection: EmbeddedDatabase['connection'], node: string) =>
  openDatabase({ connection, poolSize: 2, journalPoolSize: 1, limits: patientLimits, node, logger });

const emptyFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-visit-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test.serial('a command uses the database of a running gateway, or starts it temporarily', async (t) => {
  const dataFolder = await emptyFolder(t);
  const runs = async () => (await findPostmaster(join(dataFolder, 'postgresql', 'cluster'))) !== undefined;
  const owner = await startEmbedded({ dataFolder, logger });
  t.teardown(owner.stop);
  const owned = await openVisited(owner.connection, 'owner');
  const id = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';
  await createWorkspace(owned, { id, name: 'Shared', createdAt: new Date() });

  const visit = async (): Promise<string | undefined> => {
    const visited = await visitEmbedded({ dataFolder, logger });
    const database = await openVisited(visited.connection, 'visitor');
    const found = await firstWorkspace(database);
    await database.close();
    await visited.stop();
    return found?.id;
  };
  t.is(await visit(), id);
  t.true(await runs(), 'the gateway keeps its database');
  await owned.ping();
  await owned.close();
  await owner.stop();
  t.false(await runs());

  t.is(await visit(), id);
  t.false(await runs(), 'nothing is left running');
});

test.serial('a command creates no missing database', async (t) => {
  const dataFolder = await emptyFolder(t);
  await t.throwsAsync(visitEmbedded({ dataFolder, logger }), {
    instanceOf: StartError,
    message: /^there is no database in .*GW_DATA_DIR/,
  });
  t.deepEqual(await readdir(dataFolder), []);
});
