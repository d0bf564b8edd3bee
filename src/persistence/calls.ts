/** The row of a call: its birth and its look-ups. What happens in between is written by `call-facts.ts`. */
import type { FinalStatus } from '#machines/facts.ts';
import { statusesInProgress, type EndReason } from '#src/domain/end-reasons.ts';
import type { Database } from './database.ts';
import { keyedAnswersWritten, type KeyedAnswer } from './idempotency.ts';
import { inBatches } from './in-batches.ts';
import { eventAndDeliveries, newEventId } from './outbox.ts';
import { prepared } from './prepared.ts';
import { recordingFrom, recordingJson, type RecordingJson, type RecordingRecord } from './recordings.ts';
import type { Statements } from './statements.ts';
import { columnsOf, type Queries, type Row } from './tables.ts';

export type CallRow = Row<'Call'>;

/** With its recording; null where the call has none (not to be recorded, or not answered yet). */
export type CallRecord = CallRow & { recording: RecordingRecord | null };

export type CallBirth = Pick<
  CallRow,
  | 'id'
  | 'workspaceId'
  | 'numberId'
  | 'direction'
  | 'ownNumber'
  | 'counterparty'
  | 'language'
  | 'instruction'
  | 'maxDurationSec'
  | 'recordingEnabled'
  | 'startedAt'
  | 'node'
> & {
  /** Kept with the call, so that a repetition of the request gets the same one. */
  keyedAnswer?: KeyedAnswer | null;
};

const bornColumns = `id, workspace_id, number_id, direction, own_number, counterparty, language, instruction,
  max_duration_sec, recording_enabled, started_at, node, status, end_reason, ended_at, duration_sec`;

/** $1: a JSON array of calls. Each has the columns of its row, and the id, type and time of its event. */
const insertion = `with born as (
    select * from json_to_recordset($1) as born (event_id text, event_type text, event_at timestamptz, id uuid,
      workspace_id uuid, number_id uuid, direction text, own_number text, counterparty text, language text,
      instruction text, max_duration_sec int, recording_enabled boolean, started_at timestamptz, node text,
      status text, end_reason text, ended_at timestamptz, duration_sec double precision, idempotency_key text,
      idempotency_fingerprint text, response_status int, response_body text)
  ), ${keyedAnswersWritten}, changed as (
    insert into call (${bornColumns}) select ${bornColumns} from born
    where idempotency_key is null or id in (select call_id from keyed) returning *
  ), journalled as (
    insert into call_fact (call_id, sequence, type, at, data)
    select id, 1, 'call.ended', ended_at, jsonb_build_object('reason', end_reason, 'status', status)
    from changed where ended_at is not null
  ), ${eventAndDeliveries({
    id: 'born.event_id',
    type: 'born.event_type',
    at: 'born.event_at',
    position: '0',
    join: 'join born on born.id = changed.id',
  })}
  select changed.id from changed cross join notified`;

type End = { status: FinalStatus; reason: EndReason; at: Date };

const bornWithEvent = (birth: CallBirth, end?: End) => ({
  event_id: newEventId(),
  event_type: end === undefined ? 'call.ringing' : 'call.ended',
  event_at: end?.at ?? birth.startedAt,
  id: birth.id,
  workspace_id: birth.workspaceId,
  number_id: birth.numberId,
  direction: birth.direction,
  own_number: birth.ownNumber,
  counterparty: birth.counterparty,
  language: birth.language,
  instruction: birth.instruction,
  max_duration_sec: birth.maxDurationSec,
  recording_enabled: birth.recordingEnabled,
  started_at: birth.startedAt,
  node: birth.node,
  status: end?.status ?? 'ringing',
  end_reason: end?.reason ?? null,
  ended_at: end?.at ?? null,
  duration_sec: end === undefined ? null : 0,
  idempotency_key: birth.keyedAnswer?.key,
  idempotency_fingerprint: birth.keyedAnswer?.fingerprint.toString('base64'),
  response_status: birth.keyedAnswer?.status,
  response_body: birth.keyedAnswer?.body,
});

/** Resolves to the ids of the calls that are there now. */
const insertAll = async (
  db: Database,
  calls: readonly ReturnType<typeof bornWithEvent>[],
): Promise<ReadonlySet<string>> => {
  const rows = await db.execute<{ id: string }>(insertion, [JSON.stringify(calls)]);
  return new Set(rows.map(({ id }) => id));
};

/**
 * Resolves when the call's row (`ringing`), the event `call.ringing` with its deliveries and the answer to its request
 * are committed together; `false` when none of them is, because the request's key has placed another call.
 */
export type InsertCall = (birth: CallBirth) => Promise<boolean>;

/** Calls that are born together share one statement, and so one commit. */
export const createCallInsertion = (db: Database): InsertCall =>
  inBatches(async (births: readonly CallBirth[]) => {
    const inserted = await insertAll(
      db,
      births.map((birth) => bornWithEvent(birth)),
    );
    return ({ id }) => inserted.has(id);
  });

/** One call alone. */
export const insertCall = async (db: Database, birth: CallBirth): Promise<void> => {
  await insertAll(db, [bornWithEvent(birth)]);
};

/** A call that was rejected before it could ring anywhere: its row is born ended, with fact and event `call.ended`. */
export const insertEndedCall = async (db: Database, birth: CallBirth, end: End): Promise<void> => {
  await insertAll(db, [bornWithEvent(birth, end)]);
};

export const callColumns = columnsOf('Call').map((column) => `Call.${column}` as const);

/** Calls with their recordings, as `callRecord` reads them. */
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

const callOfNumber = prepared((queries, { callId, numberId }: { callId: string; numberId: string }) =>
  callsWithRecording(queries).where('Call.id', '=', callId).where('Call.numberId', '=', numberId),
);

const callOfWorkspace = prepared(
  (queries, { callId, workspaceId }: { callId: string; workspaceId: string }) =>
    callsWithRecording(queries).where('Call.id', '=', callId).where('Call.workspaceId', '=', workspaceId),
);

/** One call of the number or workspace that asks; undefined for anybody else's. `callId` must be a UUID. */
export const findCall = async (
  db: Statements,
  wanted: { callId: string } & ({ numberId: string } | { workspaceId: string }),
): Promise<CallRecord | undefined> => {
  const [row] = await ('numberId' in wanted ? callOfNumber(db, wanted) : callOfWorkspace(db, wanted));
  return row && callRecord(row);
};

const heldBy = (queries: Queries, node: string) =>
  queries.selectFrom('Call').where('Call.node', '=', node).where('Call.status', 'in', statusesInProgress);

const inProgressOn = prepared((queries, { node }: { node: string }) =>
  heldBy(queries, node).select(callColumns).orderBy('startedAt').orderBy('id'),
);

/** The calls that a node holds, or held when it died; the oldest first. */
export const callsInProgress = (db: Statements, node: string): Promise<CallRow[]> =>
  inProgressOn(db, { node });

const ofLostNode = prepared((queries, { node }: { node: string }) =>
  heldBy(queries, node)
    .select(callColumns)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('Node').where('Node.name', '=', node).where('Node.lostAt', 'is not', null)),
    )
    .orderBy('startedAt')
    .orderBy('id'),
);

/** The calls of a node that others found dead (`nodes.ts`); none as soon as it runs again. */
export const callsOfLostNode = (db: Statements, node: string): Promise<CallRow[]> => ofLostNode(db, { node });

const countOn = prepared((queries, { node }: { node: string }) =>
  heldBy(queries, node).select(({ fn }) => fn.countAll<number>().as('count')),
);

/** How many calls a node holds. */
export const countCallsInProgress = async (db: Statements, node: string): Promise<number> =>
  (await countOn(db, { node }))[0]?.count ?? 0;

const endedCall = prepared((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('Call')
    .select(callColumns)
    .where('id', '=', callId)
    .where('status', 'not in', statusesInProgress),
);

/** A call that has ended, whoever owns it: for the gateway's own work after the end. */
export const findEndedCall = async (db: Statements, callId: string): Promise<CallRow | undefined> =>
  (await endedCall(db, { callId }))[0];
