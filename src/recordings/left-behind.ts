/** Unfinished recordings that a gateway finds in its folder at start, of calls that ended without it. */
import type { Logger } from 'pino';
import type { Database } from '#src/persistence/database/database.ts';
import {
  pendingRecordings,
  recordedElsewhere,
  recordingStatuses,
} from '#src/persistence/calls/recordings.ts';
import type { CompleteFile, RecordingFolder } from './recording-folder.ts';

/**
 * Settles every pending recording: by its complete file, else by the playable part of its half-written file, else as
 * failed. Resolves to their calls.
 */
export const settleLeftBehind = async (options: {
  folder: RecordingFolder;
  database: Database;
  /** Name of this gateway among those of the database. */
  node: string;
  /** Calls of an earlier process that this one resumes: their recordings continue. */
  isResumed: (callId: string) => boolean;
  onComplete: (file: CompleteFile) => void;
  onFailed: (callId: string) => void;
  logger: Logger;
}): Promise<string[]> => {
  const { folder, database, node, logger } = options;
  const pending = await pendingRecordings(database, node);
  for (const { callId } of pending) {
    const file = (await folder.find(callId)) ?? (await folder.salvage(callId));
    if (file !== undefined) {
      options.onComplete(file);
      continue;
    }
    logger.warn({ call_id: callId }, 'a recording was lost with the process that wrote it');
    options.onFailed(callId);
  }
  await sweep(options);
  return pending.map(({ callId }) => callId);
};

const isCallId = (text: string): boolean => /^[\da-f-]{36}$/.test(text);

/**
 * Removes obsolete half-written files. Gateways may share the folder: files of recordings that another gateway writes,
 * or may continue, are kept.
 */
const sweep = async ({
  folder,
  database,
  node,
  isResumed,
}: {
  folder: RecordingFolder;
  database: Database;
  node: string;
  isResumed: (callId: string) => boolean;
}): Promise<void> => {
  const parts = await folder.parts();
  const elsewhere = await recordedElsewhere(database, node, [...parts.keys()].filter(isCallId));
  for (const [callId, part] of parts)
    if (!isResumed(callId) && !elsewhere.has(callId)) await folder.remove(part);
};

/**
 * Returns local files of completed recordings: those from before a store was configured, and those written while it was
 * unavailable.
 */
export async function* completedBefore(
  folder: RecordingFolder,
  database: Database,
): AsyncGenerator<CompleteFile, void, undefined> {
  const files = await folder.list();
  const statuses = await recordingStatuses(database, [...files.keys()]);
  for (const [callId, name] of files) {
    const file = statuses.get(callId) === 'completed' ? await folder.read(name) : undefined;
    if (file !== undefined) yield file;
  }
}
