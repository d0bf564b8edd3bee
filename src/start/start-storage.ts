/** What lasts: the data folder, the keys, the database, and what a first start puts into it. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { Database, DatabaseLimits } from '#src/persistence/database.ts';
import { createVault, type Vault } from '#src/persistence/vault.ts';
import { prepareDataFolder } from './data-folder.ts';
import { keepHouse } from './keep-house.ts';
import { keptMasterKey } from './master-key.ts';
import { seed } from './seed.ts';
import { startDatabase } from './start-database.ts';

export type Storage = { database: Database; vault: Vault; seeded: Awaited<ReturnType<typeof seed>> };

/** What is started belongs to `started`. Throws a StartError when the folder or the database cannot be used. */
export const startStorage = async (
  config: Config,
  limits: DatabaseLimits,
  logger: Logger,
  started: AsyncDisposableStack,
): Promise<Storage> => {
  const { dataFolder, masterKey, oldMasterKeys } = config;
  await prepareDataFolder(dataFolder);
  const vault = createVault(masterKey ?? (await keptMasterKey(dataFolder)), oldMasterKeys);
  const database = await startDatabase(config, limits, logger, started);
  started.defer(keepHouse(database, logger));
  return { database, vault, seeded: await seed({ database, vault, dataFolder, node: config.node, logger }) };
};
