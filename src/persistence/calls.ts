/** The row of a call: insertion and look-ups. `call-facts.ts` writes later changes. */
import { expressionBuilder, sql, type QueryCreator } from 'kysely';
import type { FinalStatus } from '#machines/outcome.ts';
import type { EndReason } from '#src/domain/end-reasons.ts';
import type { ChartOpening } from './call-transitions.ts';
import type { Database } from './database.ts';
import { keepingWords } from './call-words.ts';
import { keeping, type KeyedAnswer } from './keyed-answers.ts';
import { inBatches } from './in-batches.ts';
import { newEventId, tellOfCalls } from './outbox.ts';
import { prepared } from './prepared.ts';
import { recordingFrom, recordingJson, type RecordingJson, type RecordingRecord } from './recordings.ts';
import type { Statements } from './statements.ts';
import { columnsOf, rowsOf, type Queries, type Row, type Tables } from './tables.ts';

export type CallRow = Row<'Call'>;

/** A call with its recording; null if there is none (not recorded, or not answered yet). */
export type CallRecord = CallRow & { recording: RecordingRecord | null };

/** Columns of a call that are known at its start. */
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
  'metadata',
  'sipHeaders',
  'maxDurationSec',
  'recordingEnabled',
  'startedAt',
  'node',
] as const satisfies readonly (keyof CallRow)[];

/** Optional columns; omitting one stores null. */
type Told = 'callerName' | 'diversions' | 'metadata' | 'sipHeaders';

export type CallBirth = Omit<Pick<CallRow, (typeof birthColumns)[number]>, Told> &
  Partial<Pick<CallRow, Told>> & {
    /** Result stored with the call, so that a repeated request gets the same one. */
    keyedAnswer?: KeyedAnswer | null;
    /**
     * First transition of the chart, equal for all calls of a batch; if absent, it is stored like later transitions.
     */
    opening?: ChartOpening;
  };

export const callColumns = columnsOf('Call').map((column) => `Call.${column}` as const);

const bornColumns = [...birthColumns, 'status', 'endReason', 'endedAt', 'durationSec'] as const;

/** Rows of `Call` and their events, as `rowsOf` reads them. */
type Births = { calls: string; events: string };

const toldOf = (queries: Queries, { events }: Pick<Births, 'events'>) =>
  queries.with('told', (read) =>
    read.selectFrom(rowsOf('Event', events)).select(['id', 'callId', 'type', 'at']),
  );

const given = ({ calls }: Pick<Births, 'calls'>) =>
  expressionBuilder<Tables>().selectFrom(rowsOf('Call', calls)).select(bornColumns);

const storing = (write: QueryCreator<Tables>, rows: ReturnType<typeof given>) =>
  write.insertInto('Call').columns(bornColumns).expression(rows).returning(callColumns);

const whoseKeyWasFree = () =>
  expressionBuilder<Tables & { keyed: { callId: string } }>().selectFrom('keyed').select('keyed.callId');

type Opening = { chartVersion: string | null; state: string | null };

const opening =
  ({ chartVersion, state }: Opening) =>
  (write: QueryCreator<Tables & { changed: CallRow }>) =>
    write
      .insertInto('CallTransition')
      .columns([
        'callId',
        'sequence',
        'at',
        'machine',
        'chartVersion',
        'eventType',
        'stateAfter',
        'factsBefore',
      ])
      .expression((read) =>
        read
          .selectFrom('changed')
          .select(({ cast, lit, val }) => [
            'changed.id',
            lit(1).as('sequence'),
            'changed.startedAt',
            sql.lit('call').as('machine'),
            cast<string>(val(chartVersion), 'text').as('chartVersion'),
            sql.lit('xstate.init').as('eventType'),
            cast<string>(val(state), 'text').as('state'),
            lit(0).as('factsBefore'),
          ])
          .where(({ cast, val }) => cast(val(state), 'text'), 'is not', null),
      );

/** Inserts ringing calls. */
const ringing = prepared((queries, births: Births & Opening) =>
  tellOfCalls(
    toldOf(queries, births)
      .with('changed', (write) => storing(write, given(births)))
      .with('opened', opening(births)),
    sql.lit(0),
  ),
);

/** Inserts ringing calls of which some have repeatable requests; skips a call whose key already placed another call. */
const ringingOnce = prepared(
  (queries, births: Births & Opening & { answers: string; keyed: readonly string[] }) =>
    tellOfCalls(
      toldOf(queries, births)
        .with('keyed', (write) => keeping(write, births.answers))
        .with('changed', (write) =>
          storing(
            write,
            given(births).where(({ eb, fn, not, or, val }) =>
              or([not(eb('id', '=', fn.any(val(births.keyed)))), eb('id', 'in', whoseKeyWasFree())]),
            ),
          ),
        )
        .with('opened', opening(births)),
      sql.lit(0),
    ),
);

/** Inserts calls that ended before ringing. */
const ended = prepared((queries, births: Births) =>
  tellOfCalls(
    toldOf(queries, births)
      .with('changed', (write) => storing(write, given(births)))
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
              ]),
          ),
      )
      .with('findable', keepingWords),
    sql.lit(0),
  ),
);

type End = { status: FinalStatus; reason: EndReason; at: Date };

/** Rows that are inserted with a call. */
const rowsOfBirth = ({ keyedAnswer, opening, ...birth }: CallBirth, end?: End) => ({
  opening,
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

const asBirths = (
  db: Pick<Statements, 'asJson'>,
  rows: readonly ReturnType<typeof rowsOfBirth>[],
): Births => ({
  calls: db.asJson(rows.map(({ call }) => call)),
  events: db.asJson(rows.map(({ event }) => event)),
});

/**
 * Resolves when the call's row (`ringing`), the event `call.ringing` with its deliveries and the answer to its request
 * are committed together; `false` if none is, because the request's key already placed another call.
 */
export type InsertCall = (birth: CallBirth) => Promise<boolean>;

/** Concurrent insertions share one statement and one commit. */
export const createCallInsertion = (db: Database): InsertCall =>
  inBatches(async (births: readonly CallBirth[]) => {
    const inserted = await insertCalls(db, births);
    return ({ id }) => inserted.has(id);
  });

/** Inserts calls together; resolves to the ids of the stored ones. */
export const insertCalls = async (
  db: Pick<Statements, 'queries' | 'run' | 'asJson'>,
  births: readonly CallBirth[],
): Promise<ReadonlySet<string>> => {
  const rows = births.map((birth) => rowsOfBirth(birth));
  const opened = rows.at(0)?.opening;
  if (rows.some(({ opening }) => opening !== opened))
    throw new Error('Calls that are born together begin in one chart');
  const { chartVersion = null, state = null } = opened ?? {};
  const all = { ...asBirths(db, rows), chartVersion, state };
  const answers = rows.flatMap((birth) => birth.answers);
  const born =
    answers.length === 0
      ? await ringing(db, all)
      : await ringingOnce(db, {
          ...all,
          answers: db.asJson(answers),
          keyed: answers.map(({ callId }) => callId),
        });
  return new Set(born.map(({ id }) => id));
};

/** Inserts one call. */
export const insertCall = async (db: Statements, birth: CallBirth): Promise<boolean> =>
  (await insertCalls(db, [birth])).has(birth.id);

/** Inserts a call that was rejected before ringing, with fact and event `call.ended`. */
export const insertEndedCall = async (db: Database, birth: CallBirth, end: End): Promise<void> => {
  await ended(db, asBirths(db, [rowsOfBirth(birth, end)]));
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

/** One call of the requesting number or workspace; undefined for other calls. `callId` must be a UUID. */
export const findCall = async (
  db: Statements,
  wanted: { callId: string } & ({ numberId: string } | { workspaceId: string }),
): Promise<CallRecord | undefined> => {
  const [row] = await ('numberId' in wanted ? callOfNumber(db, wanted) : callOfWorkspace(db, wanted));
  return row && callRecord(row);
};
