/** The row of a call: its birth and its look-ups. What happens in between is written by `call-facts.ts`. */
import { sql } from 'kysely';
import type { FinalStatus } from '#machines/outcome.ts';
import type { EndReason } from '#src/domain/end-reasons.ts';
import type { Database } from './database.ts';
import { keepingWords } from './call-words.ts';
import { keeping, type KeyedAnswer } from './keyed-answers.ts';
import { inBatches } from './in-batches.ts';
import { newEventId, tellOfCalls } from './outbox.ts';
import { prepared } from './prepared.ts';
import { recordingFrom, recordingJson, type RecordingJson, type RecordingRecord } from './recordings.ts';
import type { Statements } from './statements.ts';
import { columnsOf, rowsOf, type Queries, type Row } from './tables.ts';

export type CallRow = Row<'Call'>;

/** With its recording; null where the call has none (not to be recorded, or not answered yet). */
export type CallRecord = CallRow & { recording: RecordingRecord | null };

/** What is known of a call when it begins. */
const birthColumns = [
  'id',
  'workspaceId',
  'numberId',
  'direction',
  'ownNumber',
  'counterparty',
  'callerName',
  'diversions',
  'language',
  'instruction',
  'maxDurationSec',
  'recordingEnabled',
  'startedAt',
  'node',
] as const satisfies readonly (keyof CallRow)[];

/** Columns that may be left out, which stores null. */
type Told = 'callerName' | 'diversions';

export type CallBirth = Omit<Pick<CallRow, (typeof birthColumns)[number]>, Told> &
  Partial<Pick<CallRow, Told>> & {
    /** Kept with the call, so that a repetition of the request gets the same one. */
    keyedAnswer?: KeyedAnswer | null;
  };

export const callColumns = columnsOf('Call').map((column) => `Call.${column}` as const);

const bornColumns = [...birthColumns, 'status', 'endReason', 'endedAt', 'durationSec'] as const;

/** Rows of `Call`, of their events, and of the answers to the requests of some, as `rowsOf` reads them. */
type Births = {
  calls: string;
  events: string;
  answers: string;
  keyed: readonly string[];
};

const bearing = prepared((queries, { calls, events, answers, keyed }: Births) =>
  tellOfCalls(
    queries
      .with('told', (read) => read.selectFrom(rowsOf('Event', events)).select(['id', 'callId', 'type', 'at']))
      .with('keyed', (write) => keeping(write, answers))
      .with('changed', (write) =>
        write
          .insertInto('Call')
          .columns(bornColumns)
          .expression((read) =>
            read
              .selectFrom(rowsOf('Call', calls))
              .select(bornColumns)
              .where(({ eb, fn, not, or, selectFrom, val }) =>
                or([
                  not(eb('id', '=', fn.any(val(keyed)))),
                  eb('id', 'in', selectFrom('keyed').select('keyed.callId')),
                ]),
              ),
          )
          .returning(callColumns),
      )
      .with('journalled', (write) =>
        write
          .insertInto('CallFactRow')
          .columns(['callId', 'sequence', 'type', 'at', 'data'])
          .expression((read) =>
            read
              .selectFrom('changed')
              .select(({ fn, lit }) => [
                'changed.id',
                lit(1).as('sequence'),
                sql.lit('call.ended').as('type'),
                'changed.endedAt',
                fn('jsonb_build_object', [
                  sql.lit('reason'),
                  'changed.endReason',
                  sql.lit('status'),
                  'changed.status',
                ]).as('data'),
              ])
              .where('changed.endedAt', 'is not', null),
          ),
      )
      .with('findable', keepingWords),
    sql.lit(0),
  ),
);

type End = { status: FinalStatus; reason: EndReason; at: Date };

/** The rows that a call is born with. */
const rowsOfBirth = ({ keyedAnswer, ...birth }: CallBirth, end?: End) => ({
  call: {
    ...birth,
    ...(end === undefined
      ? { status: 'ringing' }
      : { status: end.status, endReason: end.reason, endedAt: end.at, durationSec: 0 }),
  },
  event: {
    id: newEventId(),
    callId: birth.id,
    type: end === undefined ? 'call.ringing' : 'call.ended',
    at: end?.at ?? birth.startedAt,
  },
  answers: keyedAnswer ? [{ ...keyedAnswer, numberId: birth.numberId, callId: birth.id }] : [],
});

/** Resolves to the ids of the calls that are there now. */
const insertAll = async (
  db: Pick<Statements, 'queries' | 'run' | 'asJson'>,
  births: readonly ReturnType<typeof rowsOfBirth>[],
): Promise<ReadonlySet<string>> => {
  const answers = births.flatMap((birth) => birth.answers);
  const rows = await bearing(db, {
    calls: db.asJson(births.map(({ call }) => call)),
    events: db.asJson(births.map(({ event }) => event)),
    answers: db.asJson(answers),
    keyed: answers.map(({ callId }) => callId),
  });
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
    const inserted = await insertCalls(db, births);
    return ({ id }) => inserted.has(id);
  });

/** Together; resolves to the ids of those that are there now. */
export const insertCalls = (
  db: Pick<Statements, 'queries' | 'run' | 'asJson'>,
  births: readonly CallBirth[],
): Promise<ReadonlySet<string>> =>
  insertAll(
    db,
    births.map((birth) => rowsOfBirth(birth)),
  );

/** One call alone. */
export const insertCall = async (db: Statements, birth: CallBirth): Promise<boolean> =>
  (await insertCalls(db, [birth])).has(birth.id);

/** A call that was rejected before it could ring anywhere: its row is born ended, with fact and event `call.ended`. */
export const insertEndedCall = async (db: Database, birth: CallBirth, end: End): Promise<void> => {
  await insertAll(db, [rowsOfBirth(birth, end)]);
};

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
