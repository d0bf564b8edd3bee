/** All calls of a workspace within a time, however many: a page at a time, in the order in which they started. */
import { callRecord, callsWithRecording, type CallRecord } from './calls.ts';
import type { Statements } from './statements.ts';

/** Calls of one statement. The connection is free between two of them, however slowly they are read. */
const usualPage = 500;

export async function* callRecords(
  db: Statements,
  wanted: {
    workspaceId: string;
    /** Calls that started at this instant or later. */
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
