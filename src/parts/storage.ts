/** Data folder, keys, database, and the data of a first start. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { createSealing, type Sealing } from '#src/persistence/database/sealing.ts';
import { prepareDataFolder } from '#src/start/data-folder.ts';
import { clearOutlivedRows } from '#src/housekeeping/expired-rows.ts';
import { keptMasterKey } from '#src/start/master-key.ts';
import { seed } from '#src/start/seed.ts';
import { startDatabase } from './database.ts';
import type { Environment } from './environment.ts';

export type Storage = { database: Database; sealing: Sealing; seeded: Awaited<ReturnType<typeof seed>> };

/** Opens them; `started` owns them. Throws a StartError if the folder or the database cannot be used. */
export const startStorage = async (
  config: Config,
  logger: Logger,
  started: AsyncDisposableStack,
  environment: Pick<Environment, 'openDatabaseStream'>,
): Promise<Storage> => {
  const { dataFolder, masterKey, oldMasterKeys } = config;
  await prepareDataFolder(dataFolder);
  const sealing = createSealing(masterKey ?? (await keptMasterKey(dataFolder)), oldMasterKeys);
  const database = await startDatabase(config, logger, started, environment);
  started.defer(clearOutlivedRows(database, logger));
  return {
    database,
    sealing,
    seeded: await seed({ database, sealing, dataFolder, node: config.node, logger }),
  };
};
