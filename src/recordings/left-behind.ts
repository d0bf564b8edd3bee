/** Recordings that a gateway finds in its folder when it starts, of calls that have ended without it. */
import type { Logger } from 'pino';
import type { Database } from '#src/persistence/database.ts';
import { pendingRecordings, recordingStatuses } from '#src/persistence/recordings.ts';
import type { CompleteFile, RecordingFolder } from './recording-folder.ts';

/**
 * Settles every recording that is still pending: a complete file is the recording, and so is what can be played of one
 * that was being written; without either it has failed.
 */
export const settleLeftBehind = async (options: {
  folder: RecordingFolder;
  database: Database;
  /** The name of this gateway among those that share the database. */
  node: string;
  /** Calls of an earlier process that go on here: what it recorded of them is gone on with. */
  goesOn: (callId: string) => boolean;
  onComplete: (file: CompleteFile) => void;
  onFailed: (callId: string) => void;
  logger: Logger;
}): Promise<void> => {
  const { folder, database, node, goesOn, logger } = options;
  for (const { callId } of await pendingRecordings(database, node)) {
    const file = (await folder.find(callId)) ?? (await folder.salvage(callId));
    if (file !== undefined) {
      options.onComplete(file);
      continue;
    }
    logger.warn({ call_id: callId }, 'a recording was lost with the process that wrote it');
    options.onFailed(callId);
  }
  await folder.sweep(goesOn);
};

/** The files here of recordings that were declared completed: before there was a store, or while it was away. */
export async function* completedBefore(
  folder: Pick<RecordingFolder, 'list' | 'read'>,
  database: Database,
): AsyncGenerator<CompleteFile, void, undefined> {
  const files = await folder.list();
  const statuses = await recordingStatuses(database, [...files.keys()]);
  for (const [callId, name] of files) {
    const file = statuses.get(callId) === 'completed' ? await folder.read(name) : undefined;
    if (file !== undefined) yield file;
  }
}
