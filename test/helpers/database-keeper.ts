/**
 * Keeps the databases of one test run, as a process of its own: `node database-keeper.ts <folder> <pid of ava>`.
 * When ava is gone, however it ended, the server and every database of the run go too.
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { openDatabase } from '#src/persistence/database.ts';
import { startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import { databaseIn, runStatement } from './database-statement.ts';

const [, , folder = '', avaPid = ''] = process.argv;
const logger = pino({ level: 'silent' });
const template = `trunkline_test_${avaPid}`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** All at once, so that nobody reads half of it. */
const tell = async (message: object): Promise<void> => {
  const file = join(folder, 'kept.json');
  await writeFile(`${file}.new`, JSON.stringify(message));
  await rename(`${file}.new`, file);
};

const dropAll = async (url: string): Promise<void> => {
  const names = await runStatement(
    url,
    `select datname from pg_database where datname ~ '^${template}(_|$)'`,
  );
  for (const { datname } of names)
    await runStatement(url, `drop database if exists ${String(datname)} with (force)`);
};

/** Nothing of this server outlives the run: neither making a database nor dropping one waits for the disk. */
const forgetDisk = async (url: string): Promise<void> => {
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await runStatement(url, `alter system set ${setting} = off`);
  await runStatement(url, 'select pg_reload_conf()');
};

const startServer = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const configured = process.env['GW_TEST_DATABASE_URL'];
  if (configured !== undefined && configured !== '') {
    return { url: configured, stop: () => dropAll(configured) };
  }
  const embedded = await startEmbedded({ dataFolder: folder, logger });
  const { socketFolder, database, user } = embedded.connection;
  const url = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;
  await forgetDisk(url);
  return { url, stop: embedded.stop };
};

try {
  const { url, stop } = await startServer();
  try {
    await runStatement(url, `create database ${template}`);
    const database = await openDatabase({
      connection: { url: databaseIn(url, template) },
      poolSize: 1,
      journalPoolSize: 2,
      limits: databaseLimits,
      node: 'template',
      logger,
    });
    await database.close();
    await tell({ url, template });
    while (isAlive(Number(avaPid))) await sleep(250);
  } finally {
    await stop();
  }
} catch (error) {
  await tell({ failed: error instanceof Error ? error.message : String(error) });
  await sleep(1_000);
} finally {
  await rm(folder, { recursive: true, force: true });
}
