/** Data folder, keys, database, and the data of a first start. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { Database } from '#src/persistence/database.ts';
import { createSealing, type Sealing } from '#src/persistence/sealing.ts';
import { prepareDataFolder } from './data-folder.ts';
import { clearOutlivedRows } from './clear-outlived-rows.ts';
import { keptMasterKey } from './master-key.ts';
import { seed } from './seed.ts';
import { startDatabase } from './start-database.ts';
import type { Surroundings } from './surroundings.ts';

export type Storage = { database: Database; sealing: Sealing; seeded: Awaited<ReturnType<typeof seed>> };

/** Opens them; `started` owns them. Throws a StartError if the folder or the database cannot be used. */
export const startStorage = async (
  config: Config,
  logger: Logger,
  started: AsyncDisposableStack,
  surroundings: Pick<Surroundings, 'openDatabaseStream'>,
): Promise<Storage> => {
  const { dataFolder, masterKey, oldMasterKeys } = config;
  await prepareDataFolder(dataFolder);
  const sealing = createSealing(masterKey ?? (await keptMasterKey(dataFolder)), oldMasterKeys);
  const database = await startDatabase(config, logger, started, surroundings);
  started.defer(clearOutlivedRows(database, logger));
  return {
    database,
    sealing,
    seeded: await seed({ database, sealing, dataFolder, node: config.node, logger }),
  };
};
