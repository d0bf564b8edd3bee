/** Recordings that a gateway finds unfinished in its folder at start. */
import type { Database } from '#src/persistence/database/database.ts';
import {
  pendingRecordings,
  recordedElsewhere,
  recordingStatuses,
} from '#src/persistence/calls/recordings.ts';
import type { Assembly } from './assembly.ts';
import type { CompleteFile, RecordingFolder } from './recording-folder.ts';

/**
 * Reports every pending recording whose file is complete, and begins to make the others of their raw parts. A recording
 * without any fails.
 */
export const settleLeftBehind = async (options: {
  folder: Pick<RecordingFolder, 'find'>;
  database: Database;
  /** Name of this gateway among those of the database. */
  node: string;
  assembly: Pick<Assembly, 'make' | 'isMade'>;
  onComplete: (file: CompleteFile) => void;
}): Promise<void> => {
  const { folder, database, node, assembly } = options;
  for (const { callId } of await pendingRecordings(database, node)) {
    const file = await folder.find(callId);
    if (file === undefined) void assembly.make(callId, 'stored');
    else {
      await assembly.isMade(callId, file);
      options.onComplete(file);
    }
  }
};

const isCallId = (text: string): boolean => /^[\da-f-]{36}$/.test(text);

/**
 * Removes half-encoded files, except those of recordings that another gateway makes, because gateways may share the
 * folder.
 */
export const removeUnfinished = async ({
  folder,
  database,
  node,
}: {
  folder: Pick<RecordingFolder, 'unfinished' | 'remove'>;
  database: Database;
  node: string;
}): Promise<void> => {
  const files = await folder.unfinished();
  const elsewhere = await recordedElsewhere(database, node, [...files.keys()].filter(isCallId));
  for (const [callId, file] of files) if (!elsewhere.has(callId)) await folder.remove(file);
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
