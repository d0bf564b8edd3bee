/**
 * Removes the files of recordings that were erased, from the folder and from the store. The database has what is still
 * to be removed, so a gateway that ends in between, or a store that is away, only delays it.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { Database } from '#src/persistence/database.ts';
import { erasedAmong, erasedFiles, forgetFile, type ErasedFile } from '#src/persistence/recordings.ts';
import type { RecordingFolder } from './recording-folder.ts';
import type { StoreKeeper } from './store-keeper.ts';

export type ErasedNumbers = {
  /** Between two looks. */
  everyMs: number;
  /** So many are asked of the database at once. */
  atOnce: number;
};

type Options = {
  folder: Pick<RecordingFolder, 'list' | 'remove'>;
  keeper: Pick<StoreKeeper, 'remove'> | null;
  database: Database;
  /** The name of this gateway among those that share the database. */
  node: string;
  numbers: ErasedNumbers;
  clock: Clock;
  logger: Logger;
};

/** What was erased while this gateway did not run: another one may have taken the file for gone with its gateway. */
const removeErasedMeanwhile = async ({ folder, database }: Options, stopped: AbortSignal): Promise<void> => {
  const files = await folder.list();
  const callIds = [...files.keys()];
  for (let from = 0; from < callIds.length && !stopped.aborted; from += 1000) {
    for (const callId of await erasedAmong(database, callIds.slice(from, from + 1000)))
      await folder.remove(files.get(callId) ?? '');
  }
};

/** Before the id of every call. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

async function* allErased({ database, node, numbers: { atOnce } }: Options): AsyncGenerator<ErasedFile> {
  for (let after: string | undefined = beforeAll; after !== undefined;) {
    const files: ErasedFile[] = await erasedFiles(database, { node, after, atMost: atOnce });
    yield* files;
    after = files.at(-1)?.callId;
  }
}

/** A file that cannot be removed, as the store keeps it back, does not hold up the others. */
const removeErased = async (options: Options, stopped: AbortSignal): Promise<void> => {
  const { folder, keeper, database } = options;
  const failures: unknown[] = [];
  for await (const { callId, file } of allErased(options)) {
    if (stopped.aborted) return;
    try {
      await folder.remove(file);
      await keeper?.remove(file);
      await forgetFile(database, callId);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} files could not be removed`, { cause: failures[0] });
};

/** Looks at once, and then again and again. */
export const watchErasedFiles = (options: Options): { close(): Promise<void> } => {
  const { numbers, clock, logger } = options;
  let isFirst = true;

  const look = async (stopped: AbortSignal): Promise<void> => {
    try {
      if (isFirst) await removeErasedMeanwhile(options, stopped);
      isFirst = false;
      await removeErased(options, stopped);
    } catch (error) {
      logger.warn(
        { err: error },
        'files of erased recordings could not be removed yet; they are tried again',
      );
    }
  };

  const looking = createRepeatedTask({ work: look, everyMs: numbers.everyMs, clock });
  looking.start(0);
  return { close: looking.stop };
};
