/** Insertion and look-up of calls. Later changes are written by `call-facts.ts`. */
import type { FinalStatus } from '#machines/outcome.ts';
import type { EndReason } from '#src/domain/end-reasons.ts';
import type { ChartOpening } from './call-transitions.ts';
import type { Database } from '../database/database.ts';
import { newSearch } from './call-search-words.ts';
import { createCalls, createKeyedCalls } from './create-calls.ts';
import { sqlText } from '../database/sql-text.ts';
import type { KeyedAnswer } from '../workspaces/idempotency-records.ts';
import { inBatches } from '../database/in-batches.ts';
import { newEventId, outbox } from '../events/outbox.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import { recordingFrom, recordingJson, type RecordingJson, type RecordingRecord } from './recordings.ts';
import type { Statements } from '../database/statements.ts';
import { columnsOf, type Queries, type Row } from '../database/tables.ts';

export type CallRow = Row<'Call'>;

/** A call with its recording; the recording is null before the answer and for calls that are not recorded. */
export type CallRecord = CallRow & { recording: RecordingRecord | null };

/** Columns of a call that are known at its creation. */
type CreationColumn =
  | 'id'
  | 'workspaceId'
  | 'numberId'
  | 'direction'
  | 'ownNumber'
  | 'counterparty'
  | 'callerName'
  | 'diversions'
  | 'language'
  | 'instruction'
  | 'metadata'
  | 'sipHeaders'
  | 'maxDurationSec'
  | 'recordingEnabled'
  | 'startedAt'
  | 'node';

/** Optional columns of a new call; an omitted column is null. */
type OptionalColumn = 'callerName' | 'diversions' | 'metadata' | 'sipHeaders';

export type NewCallRow = Pick<CallRow, Exclude<CreationColumn, OptionalColumn>> &
  Partial<Pick<CallRow, OptionalColumn>> & {
    /** Response to the request, stored with the call, so that a repeated request gets the same response. */
    keyedAnswer?: KeyedAnswer | null;
    /**
     * First transition of the chart, equal for all calls of a batch. If it is absent, the first transition is stored
     * like later ones.
     */
    opening?: ChartOpening;
  };

export const callColumns = columnsOf('Call').map((column) => `Call.${column}` as const);

/** Inserts calls that ended before ringing, each with its fact `call.ended` and the event. */
const createEndedCalls = sqlText<{ calls: string; events: string }, { id: string }>(
  `
    with new_event as (
      select id, call_id, type, at, 0 as position from json_populate_recordset(null::event, $2::json)
    ),
    call_after as (
      insert into call (
        id, workspace_id, number_id, direction, own_number, counterparty, caller_name, diversions, language,
        instruction, metadata, sip_headers, max_duration_sec, recording_enabled, started_at, node, status,
        end_reason, ended_at, duration_sec
      )
      select
        id, workspace_id, number_id, direction, own_number, counterparty, caller_name, diversions, language,
        instruction, metadata, sip_headers, max_duration_sec, recording_enabled, started_at, node, status,
        end_reason, ended_at, duration_sec
      from json_populate_recordset(null::call, $1::json)
      returning call.*
    ),
    fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select id, 1, 'call.ended', ended_at, jsonb_build_object('reason', end_reason, 'status', status)
      from call_after
    ),
    ${newSearch},
    ${outbox}
    select call_after.id from call_after, notification
  `,
  ['calls', 'events'],
);

type End = { status: FinalStatus; reason: EndReason; at: Date };

/** Rows that are inserted with a call. */
const rowsOf = ({ keyedAnswer, opening, ...newCall }: NewCallRow, end?: End) => ({
  opening,
  call: {
    ...newCall,
    ...(end === undefined
      ? { status: 'ringing' }
      : { status: end.status, endReason: end.reason, endedAt: end.at, durationSec: 0 }),
  },
  event: {
    id: newEventId(),
    callId: newCall.id,
    type: end === undefined ? 'call.ringing' : 'call.ended',
    at: end?.at ?? newCall.startedAt,
  },
  answers: keyedAnswer ? [{ ...keyedAnswer, numberId: newCall.numberId, callId: newCall.id }] : [],
});

const asNewCalls = (db: Pick<Statements, 'asJson'>, rows: readonly ReturnType<typeof rowsOf>[]) => ({
  calls: db.asJson(rows.map(({ call }) => call)),
  events: db.asJson(rows.map(({ event }) => event)),
});

/**
 * Inserts a ringing call: its row, the event `call.ringing` with its deliveries, and the stored response to its
 * request, in one commit. Resolves to `false` and stores nothing if the request's key already placed another call.
 */
export type InsertCall = (newCall: NewCallRow) => Promise<boolean>;

/** Creates the insertion of calls. Concurrent insertions share one statement and one commit. */
export const createCallInsertion = (db: Database): InsertCall =>
  inBatches(async (newCalls: readonly NewCallRow[]) => {
    const inserted = await insertCalls(db, newCalls);
    return ({ id }) => inserted.has(id);
  });

/** Inserts calls together. Resolves to the ids of the stored calls. */
export const insertCalls = async (
  db: Pick<Statements, 'execute' | 'asJson'>,
  newCalls: readonly NewCallRow[],
): Promise<ReadonlySet<string>> => {
  const rows = newCalls.map((newCall) => rowsOf(newCall));
  const opened = rows.at(0)?.opening;
  if (rows.some(({ opening }) => opening !== opened))
    throw new Error('Calls that are born together begin in one chart');
  const answers = rows.flatMap((newCall) => newCall.answers);
  const { chartVersion = null, state = null } = opened ?? {};
  const calls = { ...asNewCalls(db, rows), chartVersion, state };
  const stored =
    answers.length === 0
      ? await createCalls(db, calls)
      : await createKeyedCalls(db, {
          ...calls,
          answers: db.asJson(answers),
          keyed: answers.map(({ callId }) => callId),
        });
  return new Set(stored.map(({ id }) => id));
};

/** Inserts one call. */
export const insertCall = async (db: Statements, newCall: NewCallRow): Promise<boolean> =>
  (await insertCalls(db, [newCall])).has(newCall.id);

/** Inserts a call that was rejected before ringing, with its fact `call.ended` and the event. */
export const insertEndedCall = async (db: Database, newCall: NewCallRow, end: End): Promise<void> => {
  await createEndedCalls(db, asNewCalls(db, [rowsOf(newCall, end)]));
};

/** Query for calls with their recordings, as `callRecord` reads them. */
export const callsWithRecording = (queries: Queries) =>
  queries
    .selectFrom('Call')
    .leftJoin('Recording', 'Recording.callId', 'Call.id')
    .select(callColumns)
    .select(recordingJson().as('recording'));

export const callRecord = <Call extends { recording: RecordingJson }>(
  row: Call,
): Omit<Call, 'recording'> & { recording: RecordingRecord | null } => ({
  ...row,
  recording: recordingFrom(row.recording),
});

const callOfNumber = kyselyQuery((queries, { callId, numberId }: { callId: string; numberId: string }) =>
  callsWithRecording(queries).where('Call.id', '=', callId).where('Call.numberId', '=', numberId),
);

const callOfWorkspace = kyselyQuery(
  (queries, { callId, workspaceId }: { callId: string; workspaceId: string }) =>
    callsWithRecording(queries).where('Call.id', '=', callId).where('Call.workspaceId', '=', workspaceId),
);

/** A call of the requesting number or workspace. `callId` must be a UUID. */
type WantedCall = { callId: string } & ({ numberId: string } | { workspaceId: string });

/** Returns one call of the requesting number or workspace; undefined for other calls. */
export const findCall = async (db: Statements, wanted: WantedCall): Promise<CallRecord | undefined> => {
  const [row] = await ('numberId' in wanted ? callOfNumber(db, wanted) : callOfWorkspace(db, wanted));
  return row && callRecord(row);
};

const callsWithIds = kyselyQuery((queries, { callIds }: { callIds: readonly string[] }) =>
  callsWithRecording(queries).where('Call.id', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/**
 * Creates `findCall` for many readers. Concurrent reads share one statement: a connection carries one statement in each
 * pass of the event loop, so while passes are long, separate statements would queue for the connections of the pool.
 */
export const createCallReading = (
  db: Statements,
): ((wanted: WantedCall) => Promise<CallRecord | undefined>) =>
  inBatches(async (all: readonly WantedCall[]) => {
    const rows = await callsWithIds(db, { callIds: all.map(({ callId }) => callId) });
    const calls = new Map(rows.map((row) => [row.id, row]));
    return (wanted) => {
      const row = calls.get(wanted.callId.toLowerCase());
      const isWanted =
        'numberId' in wanted ? row?.numberId === wanted.numberId : row?.workspaceId === wanted.workspaceId;
      return row !== undefined && isWanted ? callRecord(row) : undefined;
    };
  });
