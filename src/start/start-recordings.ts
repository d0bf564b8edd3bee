/** The recordings of this gateway: in its data folder, and in a store where one is configured. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database.ts';
import type { AbandonedNumbers } from '#src/recordings/abandoned.ts';
import { createRecordings, type Recordings } from '#src/recordings/recordings.ts';
import { createS3Store, type StoreLimits } from '#src/recordings/s3-store.ts';
import type { StoreKeeperOptions } from '#src/recordings/store-keeper.ts';

export type RecordingNumbers = {
  limits: StoreLimits;
  uploads: StoreKeeperOptions['numbers'];
  abandoned: AbandonedNumbers;
};

/** Resolves when what a crash left pending is settled. */
export const startRecordings = async (
  config: Pick<Config, 'dataFolder' | 'recordings' | 'node'>,
  options: {
    numbers: RecordingNumbers;
    database: Database;
    journal: Pick<Journal, 'publish' | 'settled'>;
    clock: Clock;
    logger: Logger;
  },
): Promise<Recordings> => {
  const { numbers, database, journal, clock, logger } = options;
  const { format, store } = config.recordings;
  const recordings = await createRecordings({
    folder: join(config.dataFolder, 'recordings'),
    format,
    store: store && {
      store: createS3Store(store, numbers.limits),
      prefix: store.prefix,
      numbers: numbers.uploads,
    },
    abandoned: numbers.abandoned,
    database,
    node: config.node,
    publish: journal.publish,
    clock,
    logger,
  });
  await journal.settled();
  return recordings;
};
