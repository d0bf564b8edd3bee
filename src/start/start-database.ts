/** Database of this gateway: the configured PostgreSQL server, or an embedded one in the data folder. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import { openDatabase, type Database } from '#src/persistence/database.ts';
import { startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import type { Surroundings } from './surroundings.ts';

/** Opens the database; `started` owns it. Throws a StartError that names the setting. */
export const startDatabase = async (
  config: Pick<
    Config,
    'databaseUrl' | 'databasePool' | 'databaseJournalPool' | 'databaseLimits' | 'dataFolder' | 'node'
  >,
  logger: Logger,
  started: AsyncDisposableStack,
  { openDatabaseStream }: Pick<Surroundings, 'openDatabaseStream'>,
): Promise<Database> => {
  const connection = async () => {
    if (openDatabaseStream !== null) return { openStream: openDatabaseStream };
    if (config.databaseUrl !== null) return { url: config.databaseUrl };
    const embedded = await startEmbedded({ dataFolder: config.dataFolder, logger });
    started.defer(() => embedded.stop());
    return embedded.connection;
  };
  const database = await openDatabase({
    connection: await connection(),
    poolSize: config.databasePool,
    journalPoolSize: config.databaseJournalPool,
    limits: config.databaseLimits,
    node: config.node,
    logger,
  });
  started.defer(() => database.close());
  return database;
};
