/**
 * Databases for tests, each a copy of one that was migrated once for the whole run. They are on a PostgreSQL server of
 * the run's own, or on that of `GW_TEST_DATABASE_URL`. The first test file that needs one starts the keeper
 * (`database-keeper.ts`), which makes the template and clears everything away when ava is gone.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { z } from 'zod';
import { openDatabase, type Database } from '#src/persistence/database.ts';
import { databaseIn, runStatement } from './database-statement.ts';
import type { Scope } from './file-scope.ts';
import { runningFile } from './together/running-file.ts';

const kept = z.object({ url: z.string(), template: z.string() }).or(z.object({ failed: z.string() }));

/** All test processes of one run have the same parent: ava. */
const runFolder = join(tmpdir(), `trunkline-test-run-${process.ppid}`);

const isFirst = async (): Promise<boolean> => {
  try {
    await mkdir(runFolder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
};

const startKeeper = async (): Promise<void> => {
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'database-keeper.ts'), runFolder, String(process.ppid)],
    { detached: true, stdio: 'ignore' },
  );
  await once(keeper, 'spawn');
  keeper.unref();
};

const findServer = async (): Promise<{ url: string; template: string }> => {
  if (await isFirst()) await startKeeper();
  const deadline = performance.now() + 120_000;
  while (performance.now() < deadline) {
    const text = await readFile(join(runFolder, 'kept.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) {
      const found = kept.parse(JSON.parse(text));
      if ('failed' in found) throw new Error(`There is no database to test with: ${found.failed}`);
      return found;
    }
    await sleep(20);
  }
  throw new Error(`There is no database to test with: see ${runFolder}`);
};

let server: ReturnType<typeof findServer> | undefined;

const createCopy = async (): Promise<{ url: string; drop: () => Promise<unknown> }> => {
  const { url, template } = await (server ??= findServer());
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await runStatement(url, `create database ${name} template ${template}`);
  return {
    url: databaseIn(url, name),
    drop: () => runStatement(url, `drop database if exists ${name} with (force)`),
  };
};

/** Tests are about what is asked, and the server has the run's other questions to answer as well. */
const patientMs = 60_000;
const patientLimits = {
  ...databaseLimits,
  connectMs: patientMs,
  statementMs: patientMs,
  answerMs: patientMs,
  beatAnswerMs: patientMs,
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

/** The address of a migrated, empty database of this test, or of this file, alone; dropped when the scope ends. */
export const testDatabaseUrl = async (t: Scope): Promise<string> => {
  const { url, drop } = await createCopy();
  t.teardown(async () => {
    await drop();
  });
  return url;
};

/** A migrated, empty database of this test alone. It ends with the test. */
export const ownDatabase = async (t: ExecutionContext): Promise<Database> => {
  const database = await open(await testDatabaseUrl(t));
  t.teardown(database.close);
  return database;
};

/** One more gateway's connection to a database of `testDatabaseUrl`. */
export const openTestDatabase = async (t: ExecutionContext, url: string, node: string): Promise<Database> => {
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

let shared: { file: string; opening: Promise<SharedDatabase> } | undefined;

const endShared = async (): Promise<void> => {
  const ending = shared;
  shared = undefined;
  await (await ending?.opening)?.end();
};

/** One database for all tests of the file, migrated and empty at first. It ends with the file. */
export const testDatabase = async (_t?: ExecutionContext): Promise<Database> => {
  const file = runningFile();
  if (shared !== undefined && shared.file !== file) await endShared();
  shared ??= { file, opening: openShared() };
  return (await shared.opening).database;
};

test.after.always('the database of this file is dropped', endShared);
