/**
 * Recordings in the folder of another gateway. A call that was taken over may end before its new gateway has recorded
 * anything: then the recording consists of the earlier gateway's part. The recording stays pending and is assigned to
 * that gateway, which finishes it at its next check: soon after it restarts, or after it was only cut off. If it never
 * returns, `recordings.ts` marks the recording as failed.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { leaveRecording, recordingsLeftTo } from '#src/persistence/calls/recordings.ts';
import type { CompleteFile, RecordingFolder } from './recording-folder.ts';

export type LeftElsewhereNumbers = {
  /** Interval of the checks. */
  everyMs: number;
};

export type LeftElsewhere = {
  /** Assigns the recording of a call to another gateway; retried while the database is unavailable. */
  leave(callId: string, node: string): void;
  close(): Promise<void>;
};

type Options = {
  folder: Pick<RecordingFolder, 'find' | 'salvage'>;
  database: Database;
  /** Name of this gateway among those of the database. */
  node: string;
  numbers: LeftElsewhereNumbers;
  /** Calls whose recordings were settled at start, which the database may not show yet. */
  settled: readonly string[];
  onComplete: (file: CompleteFile) => void;
  onFailed: (callId: string) => void;
  clock: Clock;
  logger: Logger;
};

export const createLeftElsewhere = (options: Options): LeftElsewhere => {
  const { folder, database, node, numbers, clock, logger } = options;
  /** Pending assignments: gateway by call. */
  const leaving = new Map<string, string>();
  /** Recordings that were assigned to this gateway and finished here, which the database may not show yet. */
  const finished = new Set(options.settled);

  const leaveAll = async (): Promise<void> => {
    for (const [callId, to] of leaving) {
      await leaveRecording(database, { callId, node: to });
      leaving.delete(callId);
    }
  };

  const finish = async (callId: string): Promise<void> => {
    const file = (await folder.find(callId)) ?? (await folder.salvage(callId));
    finished.add(callId);
    if (file === undefined) options.onFailed(callId);
    else options.onComplete(file);
  };

  const look = async (): Promise<void> => {
    try {
      await leaveAll();
      for (const callId of await recordingsLeftTo(database, node))
        if (!finished.has(callId)) await finish(callId);
    } catch (error) {
      logger.warn({ err: error }, 'resolving the recordings of taken-over calls failed; a retry follows');
    }
  };

  const looking = createRepeatedTask({ work: look, everyMs: numbers.everyMs, clock });
  looking.start(0);
  return {
    leave(callId, to) {
      logger.info({ call_id: callId, to_node: to }, 'a recording is left to the gateway that wrote it');
      leaving.set(callId, to);
    },
    async close() {
      await looking.stop();
      if (leaving.size > 0) await look();
    },
  };
};
