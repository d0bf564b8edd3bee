/** Storage: the data folder, the master key, the database with the data of a first start, and recordings. */
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import { type Database, openDatabase } from '#src/persistence/database/database.ts';
import { createSealing, type Sealing } from '#src/persistence/database/sealing.ts';
import { prepareDataFolder, prepareRecordingsFolder } from '#src/start/data-folder.ts';
import { clearOutlivedRows } from '#src/housekeeping/expired-rows.ts';
import { storedMasterKey } from '#src/start/master-key.ts';
import { seed } from '#src/start/seed.ts';
import type { Environment, Runtime } from './runtime.ts';
import { startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import { recordings as recordingPolicy } from '#config/policy.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { OtherParts } from '#src/recordings/assembly.ts';
import type { PartUploadNumbers } from '#src/recordings/part-uploads.ts';
import { bytesPerSecond } from '#src/recordings/raw-part.ts';
import { createRecordings, type Recordings } from '#src/recordings/recordings.ts';
import type { S3Account } from '#src/recordings/s3-store.ts';
import type { RecordingStore } from '#src/recordings/store.ts';

/** Opens the configured store, whose modules are imported only then: calls of a dead process wait for this start. */
const openStore = async (account: S3Account): Promise<RecordingStore> => {
  const { createS3Store } = await import('#src/recordings/s3-store.ts');
  return createS3Store(account, recordingPolicy.limits);
};

/** Returns the numbers of uploads after this many seconds of audio each; null without any. */
const partNumbers = (seconds: number): PartUploadNumbers | null => {
  if (seconds === 0) return null;
  const pieceBytes = seconds * bytesPerSecond;
  const { mostBytes, ...numbers } = recordingPolicy.parts;
  return { ...numbers, pieceBytes, mostBytes: Math.max(pieceBytes, mostBytes) };
};

/**
 * Opens the recordings of this gateway: in its data folder, and in a store if one is configured. Recordings that a
 * crash left pending are made in the background.
 */
export const startRecordings = async (
  { config, database, environment: { openEncoding }, clock, logger, started }: Runtime,
  journal: Journal,
  otherParts: OtherParts,
): Promise<Recordings> => {
  const { format, folder, store } = config.recordings;
  await prepareRecordingsFolder(folder);
  const recordings = await createRecordings({
    folder,
    format,
    store: store && {
      store: await openStore(store),
      prefix: store.prefix,
      numbers: recordingPolicy.uploads,
      parts: partNumbers(store.partSec),
    },
    abandoned: recordingPolicy.abandoned,
    encoding: {
      ...recordingPolicy.encoding,
      threads: Math.max(1, Math.floor(availableParallelism() * recordingPolicy.encoding.threadsPerProcessor)),
    },
    openEncoding,
    assembly: recordingPolicy.assembly,
    otherParts,
    erased: recordingPolicy.erased,
    database,
    node: config.node,
    append: journal.append,
    clock,
    logger,
  });
  started.defer(() => recordings.close());
  await journal.settled();
  return recordings;
};

/** Opens the database, which `started` owns. Throws a StartError that names the setting. */
export const startDatabase = async (
  config: Config,
  logger: Logger,
  started: AsyncDisposableStack,
  { openDatabaseStream }: Environment,
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

export type Storage = { database: Database; sealing: Sealing; seeded: Awaited<ReturnType<typeof seed>> };

/**
 * Opens the data folder and the database, which `started` owns. Throws a StartError if the folder or the database
 * cannot be used.
 */
export const startStorage = async (
  config: Config,
  logger: Logger,
  started: AsyncDisposableStack,
  environment: Environment,
): Promise<Storage> => {
  const { dataFolder, masterKey, oldMasterKeys } = config;
  await prepareDataFolder(dataFolder);
  const sealing = createSealing(masterKey ?? (await storedMasterKey(dataFolder)), oldMasterKeys);
  const database = await startDatabase(config, logger, started, environment);
  started.defer(clearOutlivedRows(database, logger));
  return {
    database,
    sealing,
    seeded: await seed({ database, sealing, dataFolder, node: config.node, logger }),
  };
};
