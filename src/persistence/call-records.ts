/** All calls of a workspace within a time, however many: a page at a time, in the order in which they started. */
import { callColumns, type CallRecord, type CallRow } from './calls.ts';
import type { Database } from './database.ts';
import { recordingFrom, recordingJson, type RecordingJson } from './recordings.ts';

/** Calls of one statement. The connection is free between two of them, however slowly they are read. */
const usualPage = 500;

export async function* callRecords(
  db: Database,
  wanted: {
    workspaceId: string;
    /** Calls that started at this instant or later. */
    since: Date | null;
    /** Calls that started before this instant. */
    until: Date;
  },
  pageSize = usualPage,
): AsyncGenerator<CallRecord[]> {
  let last: CallRow | undefined;
  for (;;) {
    const rows = await db.execute<CallRow & { recording: RecordingJson }>(
      `select ${callColumns}, ${recordingJson} as recording
       from call left join recording on recording.call_id = call.id
       where call.workspace_id = $1 and call.started_at >= $2 and call.started_at < $3
         and ($4::timestamptz is null or (call.started_at, call.id) > ($4::timestamptz, $5::uuid))
       order by call.started_at, call.id limit $6`,
      [
        wanted.workspaceId,
        wanted.since ?? new Date(0),
        wanted.until,
        last?.startedAt ?? null,
        last?.id ?? null,
        pageSize,
      ],
    );
    if (rows.length > 0) yield rows.map((row) => ({ ...row, recording: recordingFrom(row.recording) }));
    last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
  }
}
