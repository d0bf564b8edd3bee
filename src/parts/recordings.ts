/** Recordings of this gateway: in its data folder, and in a store if one is configured. */
import { recordings as recordingPolicy } from '#config/policy.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import { createRecordings, type Recordings } from '#src/recordings/recordings.ts';
import { createS3Store } from '#src/recordings/s3-store.ts';
import { prepareRecordingsFolder } from '#src/start/data-folder.ts';
import type { Runtime } from './runtime.ts';

/** Resolves when recordings left pending by a crash are settled. */
export const startRecordings = async (
  { config, database, clock, logger, started }: Runtime,
  {
    journal,
    isResumed,
  }: { journal: Pick<Journal, 'publish' | 'settled'>; isResumed: (callId: string) => boolean },
): Promise<Recordings> => {
  const { format, folder, store } = config.recordings;
  await prepareRecordingsFolder(folder);
  const recordings = await createRecordings({
    folder,
    format,
    store: store && {
      store: createS3Store(store, recordingPolicy.limits),
      prefix: store.prefix,
      numbers: recordingPolicy.uploads,
    },
    abandoned: recordingPolicy.abandoned,
    elsewhere: recordingPolicy.elsewhere,
    erased: recordingPolicy.erased,
    database,
    node: config.node,
    isResumed,
    publish: journal.publish,
    clock,
    logger,
  });
  started.defer(() => recordings.close());
  await journal.settled();
  return recordings;
};
