/**
 * Databases for tests, each a copy of one that was migrated once for the whole run. All databases are on a PostgreSQL
 * server of the run, or on that of `GW_TEST_DATABASE_URL`. AVA's shared worker (`database-worker.ts`) creates the
 * databases.
 */
import test, { type ExecutionContext } from 'ava';
import { registerSharedWorker } from 'ava/plugin';
import pino from 'pino';
import { z } from 'zod';
import { openDatabase, type Database } from '#src/persistence/database/database.ts';
import { fileInProgress } from '#test/run/file-in-progress.ts';
import type { Scope } from './file-scope.ts';
import { patientLimits } from './patient-limits.ts';

const worker = registerSharedWorker({
  filename: new URL('database-worker.ts', import.meta.url),
  supportedProtocols: ['ava-4'],
});

const failure = z.object({ failed: z.string() });

/** Sends a request to the shared worker; throws its error. */
const ask = async (request: object): Promise<unknown> => {
  for await (const { data } of worker.publish(request).replies()) {
    const { data: failed } = failure.safeParse(data);
    if (failed !== undefined) throw new Error(`There is no database to test with: ${failed.failed}`);
    return data;
  }
  throw new Error('The shared worker for databases has ended');
};

const copy = z.object({ name: z.string(), url: z.string() });

const createCopy = async (): Promise<{ url: string; drop: () => Promise<unknown> }> => {
  const { name, url } = copy.parse(await ask({ create: true }));
  return { url, drop: () => ask({ drop: name }) };
};

const open = (url: string, node = 'test'): Promise<Database> =>
  openDatabase({
    connection: { url },
    poolSize: 4,
    journalPoolSize: 2,
    limits: patientLimits,
    node,
    logger: pino({ level: 'silent' }),
  });

/** Address of a migrated, empty database only for this test or file; dropped when the scope ends. */
export const testDatabaseUrl = async (t: Scope): Promise<string> => {
  const { url, drop } = await createCopy();
  t.teardown(async () => {
    await drop();
  });
  return url;
};

/** A migrated, empty database only for this test; dropped when the test ends. */
export const ownDatabase = async (t: ExecutionContext): Promise<Database> => {
  const database = await open(await testDatabaseUrl(t));
  t.teardown(database.close);
  return database;
};

/** Opens another gateway's connection to a database of `testDatabaseUrl`. */
export const openTestDatabase = async (t: Scope, url: string, node: string): Promise<Database> => {
  const database = await open(url, node);
  t.teardown(database.close);
  return database;
};

type SharedDatabase = { database: Database; end: () => Promise<void> };

const openShared = async (): Promise<SharedDatabase> => {
  const { url, drop } = await createCopy();
  const database = await open(url);
  return {
    database,
    async end() {
      await database.close();
      await drop();
    },
  };
};

let shared: { scope: string; opening: Promise<SharedDatabase> } | undefined;

const endShared = async (): Promise<void> => {
  const ending = shared;
  shared = undefined;
  await (await ending?.opening)?.end();
};

/**
 * One database for the tests of a file, or of the given section; initially migrated and empty. The database is dropped
 * with the file, or when a test of another section requests its database. Tests that use this database are serial.
 */
export const testDatabase = async (section?: ExecutionContext | string): Promise<Database> => {
  const scope = `${fileInProgress()} ${typeof section === 'string' ? section : ''}`;
  if (shared !== undefined && shared.scope !== scope) await endShared();
  shared ??= { scope, opening: openShared() };
  return (await shared.opening).database;
};

test.after.always('the database of this file is dropped', endShared);
