/**
 * Removes the files of erased recordings from the folder and the store. The database lists the files to remove, so a
 * restart or an unavailable store only delays the removal.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { erasedAmong, erasedFiles, forgetFile, type ErasedFile } from '#src/persistence/calls/recordings.ts';
import type { RecordingFolder } from './recording-folder.ts';
import type { StoreKeeper } from './store-keeper.ts';

export type ErasedNumbers = {
  /** Interval of the checks. */
  everyMs: number;
  /** Number of files read from the database at once. */
  atOnce: number;
};

type Options = {
  folder: RecordingFolder;
  keeper: Pick<StoreKeeper, 'remove'> | null;
  database: Database;
  /** Name of this gateway among those of the database. */
  node: string;
  numbers: ErasedNumbers;
  clock: Clock;
  logger: Logger;
};

/**
 * Removes files of recordings that were erased while this gateway did not run, or was cut off from the database. Another
 * gateway may have recorded their removal already.
 */
const removeErasedMeanwhile = async ({ folder, database }: Options, stopped: AbortSignal): Promise<void> => {
  const files = await folder.list();
  const callIds = [...files.keys()];
  for (let from = 0; from < callIds.length && !stopped.aborted; from += 1000) {
    for (const callId of await erasedAmong(database, callIds.slice(from, from + 1000)))
      await folder.remove(files.get(callId) ?? '');
  }
};

/** First value of the position, which sorts before every call id. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

async function* allErased({ database, node, numbers: { atOnce } }: Options): AsyncGenerator<ErasedFile> {
  for (let after: string | undefined = beforeAll; after !== undefined;) {
    const files: ErasedFile[] = await erasedFiles(database, { node, after, atMost: atOnce });
    yield* files;
    after = files.at(-1)?.callId;
  }
}

/**
 * Removes erased files. A file that cannot be removed, for example because the store retains it, does not block the
 * others.
 */
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

export type ErasedWatch = {
  /** Compares all files with the database at the next check, because another gateway may have recorded their removal. */
  checkAll(): void;
  close(): Promise<void>;
};

/** Checks immediately and then periodically. */
export const watchErasedFiles = (options: Options): ErasedWatch => {
  const { numbers, clock, logger } = options;
  let areAllDue = true;

  const removeDue = async (stopped: AbortSignal): Promise<void> => {
    if (!areAllDue) return;
    areAllDue = false;
    try {
      await removeErasedMeanwhile(options, stopped);
    } catch (error) {
      areAllDue = true;
      throw error;
    }
  };

  const look = async (stopped: AbortSignal): Promise<void> => {
    try {
      await removeDue(stopped);
      await removeErased(options, stopped);
    } catch (error) {
      logger.warn({ err: error }, 'removing files of erased recordings failed; a retry follows');
    }
  };

  const looking = createRepeatedTask({ work: look, everyMs: numbers.everyMs, clock });
  looking.start(0);
  return { checkAll: () => void (areAllDue = true), close: looking.stop };
};
