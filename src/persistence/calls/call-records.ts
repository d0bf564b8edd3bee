/** All calls of a workspace in a time range, in pages, ordered by start. */
import { callRecord, callsWithRecording, type CallRecord } from './calls.ts';
import type { Statements } from '../database/statements.ts';

/** Number of calls per statement. The connection is free between two statements, even if the reader is slow. */
const usualPage = 500;

export async function* callRecords(
  db: Statements,
  wanted: {
    workspaceId: string;
    /** Calls that started at or after this instant. */
    since: Date | null;
    /** Calls that started before this instant. */
    until: Date;
  },
  pageSize = usualPage,
): AsyncGenerator<CallRecord[]> {
  const { workspaceId, since, until } = wanted;
  const all = callsWithRecording(db.queries)
    .where('Call.workspaceId', '=', workspaceId)
    .where('Call.startedAt', '>=', since ?? new Date(0))
    .where('Call.startedAt', '<', until)
    .orderBy('Call.startedAt')
    .orderBy('Call.id')
    .limit(pageSize);
  let rest = all;
  for (;;) {
    const rows = await rest.execute();
    if (rows.length > 0) yield rows.map(callRecord);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    rest = all.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('Call.startedAt', 'Call.id'), '>', tuple(last.startedAt, last.id)),
    );
  }
}
