/**
 * AVA's shared worker for databases. The worker starts a PostgreSQL server for the run, or uses that of
 * `GW_TEST_DATABASE_URL`, migrates one template database, and creates and drops copies of it on request.
 * `database-cleanup.ts` stops the server when the run is over.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SharedWorker } from 'ava/plugin';
import { Client } from 'pg';
import pino from 'pino';
import { z } from 'zod';
import { openDatabase } from '#src/persistence/database/database.ts';
import { startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import { databaseIn } from './database-statement.ts';
import { patientLimits } from './patient-limits.ts';

/** Request of a test file: create a copy, or drop the one of this name. */
const request = z.object({ create: z.literal(true) }).or(z.object({ drop: z.string() }));

const logger = pino({ level: 'silent' });
const template = `trunkline_test_${randomBytes(4).toString('hex')}`;

type Server = {
  url: string;
  run: (sql: string) => Promise<unknown>;
};

/**
 * Starts the cleanup process. That process reads from a pipe, which the kernel closes when AVA's process ends for any
 * reason.
 */
const startCleanup = async (folder: string): Promise<void> => {
  const cleanup = spawn(
    process.execPath,
    [join(import.meta.dirname, 'database-cleanup.ts'), folder, template],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  await once(cleanup, 'spawn');
  cleanup.unref();
};

const findServer = async (folder: string): Promise<string> => {
  const configured = process.env['GW_TEST_DATABASE_URL'];
  if (configured !== undefined && configured !== '') return configured;
  const { connection } = await startEmbedded({ dataFolder: folder, logger });
  const { socketFolder, database, user } = connection;
  return `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;
};

/** The data of an embedded server is discarded after the run, so it is neither synced to disk nor tidied up. */
const discardedData = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '1GB',
};

const discardData = async (run: Server['run']): Promise<void> => {
  for (const [name, value] of Object.entries(discardedData))
    await run(`alter system set ${name} = '${value}'`);
  await run('select pg_reload_conf()');
};

const startServer = async (): Promise<Server> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-run-'));
  await startCleanup(folder);
  const url = await findServer(folder);
  const client = new Client({ connectionString: url });
  // A lost connection fails the next statement; it must not end the worker.
  client.on('error', () => undefined);
  await client.connect();
  // A connection runs one statement at a time.
  let last: Promise<unknown> = Promise.resolve();
  const run: Server['run'] = (sql) => {
    const result = last.then(() => client.query(sql));
    last = result.catch(() => undefined);
    return result;
  };
  if (!process.env['GW_TEST_DATABASE_URL']) await discardData(run);
  await run(`create database ${template}`);
  const database = await openDatabase({
    connection: { url: databaseIn(url, template) },
    poolSize: 1,
    journalPoolSize: 2,
    limits: patientLimits,
    node: 'template',
    logger,
  });
  await database.close();
  return { url, run };
};

/** Copies files, a third of the work of copying through the log; a configured server may be older than the option. */
const copying = process.env['GW_TEST_DATABASE_URL'] ? '' : 'strategy file_copy';

let server: Promise<Server> | undefined;

const serve = async (testWorker: SharedWorker.TestWorker): Promise<void> => {
  const copies = new Set<string>();
  const drop = async (name: string): Promise<void> => {
    copies.delete(name);
    await (await server)?.run(`drop database if exists ${name} with (force)`);
  };
  // A test file that timed out has not dropped its databases.
  testWorker.teardown(async () => {
    for (const name of copies) await drop(name);
  });
  const answer = async (data: unknown): Promise<object> => {
    const asked = request.parse(data);
    if ('drop' in asked) {
      await drop(asked.drop);
      return {};
    }
    const { url, run } = await (server ??= startServer());
    const name = `${template}_${randomBytes(6).toString('hex')}`;
    copies.add(name);
    await run(`create database ${name} template ${template} ${copying}`);
    return { name, url: databaseIn(url, name) };
  };
  const reply = async (message: SharedWorker.ReceivedMessage): Promise<void> => {
    try {
      message.reply(await answer(message.data));
    } catch (error) {
      message.reply({ failed: error instanceof Error ? error.message : String(error) });
    }
  };
  for await (const message of testWorker.subscribe()) void reply(message);
};

const databaseWorker: SharedWorker.Factory = ({ negotiateProtocol }) => {
  const main = negotiateProtocol(['ava-4']).ready();
  const serveAll = async (): Promise<void> => {
    for await (const testWorker of main.testWorkers()) void serve(testWorker);
  };
  void serveAll();
};

export default databaseWorker;
