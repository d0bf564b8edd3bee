/** Recordings, one at most for a call. They are begun and finished by facts (`call-facts.ts`). */
import type { Database } from './database.ts';

export type RecordingStatus = 'pending' | 'completed' | 'failed';

export type RecordingRecord = {
  callId: string;
  status: RecordingStatus;
  contentType: string | null;
  durationSec: number | null;
  bytes: number | null;
  /** Relative to the folder of recordings. */
  file: string | null;
  createdAt: Date;
  finishedAt: Date | null;
};

const columns = `
  recording.call_id as "callId", recording.status, recording.content_type as "contentType",
  recording.duration_sec as "durationSec", recording.bytes, recording.file, recording.created_at as "createdAt",
  recording.finished_at as "finishedAt"`;

/** The recording as the database has it, for a call that is known to belong to the caller. */
export const findRecording = async (db: Database, callId: string): Promise<RecordingRecord | undefined> => {
  const [row] = await db.execute<RecordingRecord>(`select ${columns} from recording where call_id = $1`, [callId]);
  return row;
};

/** Recordings of a node's ended calls that were never finished: what a crash left behind. */
export const pendingRecordings = (db: Database, node: string): Promise<RecordingRecord[]> =>
  db.execute<RecordingRecord>(
    `select ${columns} from recording join call on call.id = recording.call_id
     where recording.status = 'pending' and call.node = $1 and call.status not in ('ringing', 'active')
     order by recording.created_at`,
    [node],
  );

/** A recording joined to a call, where each of its columns may be missing. */
export type RecordingColumns = {
  recordingStatus: RecordingStatus | null;
  recordingContentType: string | null;
  recordingDurationSec: number | null;
  recordingBytes: number | null;
  recordingFile: string | null;
  recordingCreatedAt: Date | null;
  recordingFinishedAt: Date | null;
};

export const recordingOf = (row: RecordingColumns & { id: string }): RecordingRecord | null =>
  row.recordingStatus === null || row.recordingCreatedAt === null
    ? null
    : {
        callId: row.id,
        status: row.recordingStatus,
        contentType: row.recordingContentType,
        durationSec: row.recordingDurationSec,
        bytes: row.recordingBytes,
        file: row.recordingFile,
        createdAt: row.recordingCreatedAt,
        finishedAt: row.recordingFinishedAt,
      };
