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
  const [row] = await db.execute<RecordingRecord>(`select ${columns} from recording where call_id = $1`, [
    callId,
  ]);
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

/** A recording that is part of another row, as JSON; null where there is none. */
export type RecordingJson =
  | (Omit<RecordingRecord, 'createdAt' | 'finishedAt'> & {
      createdAt: string;
      finishedAt: string | null;
    })
  | null;

/** For a row of `recording` that is joined from the left. */
export const recordingJson = `case when recording.call_id is not null then json_build_object(
  'callId', recording.call_id, 'status', recording.status, 'contentType', recording.content_type,
  'durationSec', recording.duration_sec, 'bytes', recording.bytes, 'file', recording.file,
  'createdAt', recording.created_at, 'finishedAt', recording.finished_at) end`;

export const recordingFrom = (json: RecordingJson): RecordingRecord | null =>
  json && {
    ...json,
    createdAt: new Date(json.createdAt),
    finishedAt: json.finishedAt === null ? null : new Date(json.finishedAt),
  };
