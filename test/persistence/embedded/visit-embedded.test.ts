import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';
import { openDatabase } from '#src/persistence/database.ts';
import { findPostmaster } from '#src/persistence/embedded/postmaster.ts';
import { startEmbedded, type EmbeddedDatabase } from '#src/persistence/embedded/start-embedded.ts';
import { visitEmbedded } from '#src/persistence/embedded/visit-embedded.ts';
import { createWorkspace, firstWorkspace } from '#src/persistence/workspaces.ts';

const logger = pino({ level: 'silent' });

const open = (connection: EmbeddedDatabase['connection'], node: string) =>
  openDatabase({ connection, poolSize: 2, journalPoolSize: 1, limits: databaseLimits, node, logger });

const emptyFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-visit-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test('a visitor shares the database of the gateway that runs, and starts it for the moment where none does', async (t) => {
  const dataFolder = await emptyFolder(t);
  const runs = async () => (await findPostmaster(join(dataFolder, 'postgresql', 'cluster'))) !== undefined;
  const owner = await startEmbedded({ dataFolder, logger });
  t.teardown(owner.stop);
  const owned = await open(owner.connection, 'owner');
  const id = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';
  await createWorkspace(owned, { id, name: 'Shared', createdAt: new Date() });

  const visit = async (): Promise<string | undefined> => {
    const visited = await visitEmbedded({ dataFolder, logger });
    const database = await open(visited.connection, 'visitor');
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

test('a visitor makes no database where there is none', async (t) => {
  const dataFolder = await emptyFolder(t);
  await t.throwsAsync(visitEmbedded({ dataFolder, logger }), {
    instanceOf: StartError,
    message: /^there is no database in .*GW_DATA_DIR/,
  });
  t.deepEqual(await readdir(dataFolder), []);
});
