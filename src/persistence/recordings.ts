/** Recordings, one at most for a call. They are begun and finished by facts (`call-facts.ts`). */
import type { Database } from './database.ts';

export type RecordingStatus = 'pending' | 'completed' | 'failed';

export type RecordingRecord = {
  callId: string;
  status: RecordingStatus;
  /** Nothing that is said now is recorded. False once the call has ended. */
  paused: boolean;
  contentType: string | null;
  durationSec: number | null;
  bytes: number | null;
  /** Relative to the folder of recordings. */
  file: string | null;
  /** Its end is missing: the gateway that wrote it ended early. */
  truncated: boolean;
  createdAt: Date;
  finishedAt: Date | null;
};

/** For a row of `recording`, joined with its `call`: the facts of the call say it. */
const isPaused = `(call.status = 'active' and coalesce((
  select fact.type = 'recording.paused' from call_fact as fact
  where fact.call_id = recording.call_id and fact.type in ('recording.paused', 'recording.resumed')
  order by fact.sequence desc limit 1), false))`;

const columns = `
  recording.call_id as "callId", recording.status, ${isPaused} as paused, recording.content_type as "contentType",
  recording.duration_sec as "durationSec", recording.bytes, recording.file, recording.truncated,
  recording.created_at as "createdAt",
  recording.finished_at as "finishedAt"`;

/** The recording as the database has it, for a call that is known to belong to the caller. */
export const findRecording = async (db: Database, callId: string): Promise<RecordingRecord | undefined> => {
  const [row] = await db.execute<RecordingRecord>(
    `select ${columns} from recording join call on call.id = recording.call_id where recording.call_id = $1`,
    [callId],
  );
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

/**
 * Recordings that are pending although their call ended `afterMs` ago or earlier, and whose gateway does not run; the
 * oldest first, so many at once.
 */
export const abandonedRecordings = (
  db: Database,
  afterMs: number,
): Promise<{ callId: string; node: string }[]> =>
  db.execute<{ callId: string; node: string }>(
    `select recording.call_id as "callId", call.node from recording join call on call.id = recording.call_id
     where recording.status = 'pending' and call.status not in ('ringing', 'active')
       and call.ended_at <= now() - make_interval(secs => $1)
       and not exists (select from node where node.name = call.node and node.lost_at is null)
     order by recording.created_at limit 1000`,
    [afterMs / 1000],
  );

/** A recording that is part of another row, as JSON; null where there is none. */
export type RecordingJson =
  | (Omit<RecordingRecord, 'createdAt' | 'finishedAt'> & {
      createdAt: string;
      finishedAt: string | null;
    })
  | null;

/** For a row of `recording` that is joined from the left to its `call`. */
export const recordingJson = `case when recording.call_id is not null then json_build_object(
  'callId', recording.call_id, 'status', recording.status, 'paused', ${isPaused}, 'contentType', recording.content_type,
  'durationSec', recording.duration_sec, 'bytes', recording.bytes, 'file', recording.file, 'truncated', recording.truncated,
  'createdAt', recording.created_at, 'finishedAt', recording.finished_at) end`;

export const recordingFrom = (json: RecordingJson): RecordingRecord | null =>
  json && {
    ...json,
    createdAt: new Date(json.createdAt),
    finishedAt: json.finishedAt === null ? null : new Date(json.finishedAt),
  };

/** The status of each of these calls' recordings; those that have none are left out. `callIds` must be UUIDs. */
export const recordingStatuses = async (
  db: Database,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, RecordingStatus>> => {
  const rows = await db.execute<{ callId: string; status: RecordingStatus }>(
    'select call_id as "callId", status from recording where call_id = any ($1::uuid[])',
    [callIds],
  );
  return new Map(rows.map(({ callId, status }) => [callId, status]));
};
