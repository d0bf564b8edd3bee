/** Recordings, at most one for each call. Facts begin and finish recordings (`call-facts.ts`). */
import { expressionBuilder, sql } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import { secondsAgo } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { columnsOf, type Queries, type Row, type Tables } from '../database/tables.ts';

export type RecordingRecord = Row<'Recording'> & {
  /** Whether the recording is paused now; false once the call has ended. */
  paused: boolean;
};

export type RecordingStatus = RecordingRecord['status'];

/**
 * Expression on a row of `Recording` joined with its `Call`: whether the recording is paused, according to the call's
 * facts.
 */
const isPaused = () => {
  const { and, eb, fn, selectFrom } = expressionBuilder<Tables, 'Recording' | 'Call'>();
  const lastChange = selectFrom('CallFactRow as fact')
    .select((fact) => fact('fact.type', '=', 'recording.paused').as('isPause'))
    .whereRef('fact.callId', '=', 'Recording.callId')
    .where('fact.type', 'in', ['recording.paused', 'recording.resumed'])
    .orderBy('fact.sequence', 'desc')
    .limit(sql.lit(1));
  return and([
    eb('Call.status', '=', sql.lit('active')),
    fn.coalesce(lastChange, sql.lit(false)),
  ]).$castTo<boolean>();
};

export const recordingColumns = columnsOf('Recording').map((column) => `Recording.${column}` as const);

const recordings = (queries: Queries) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select(recordingColumns)
    .select(isPaused().as('paused'));

const recordingOf = kyselyQuery((queries, { callId }: { callId: string }) =>
  recordings(queries).where('Recording.callId', '=', callId),
);

/** Returns the stored recording of a call. The caller must have verified access to the call. */
export const findRecording = async (db: Statements, callId: string): Promise<RecordingRecord | undefined> =>
  (await recordingOf(db, { callId }))[0];

/** Returns the expression for the gateway whose folder has the recording's file. */
const folderNode = () => {
  const { fn } = expressionBuilder<Tables, 'Recording' | 'Call'>();
  return fn.coalesce('Recording.node', 'Call.node').$castTo<string>();
};

const pendingOf = kyselyQuery((queries, { node }: { node: string }) =>
  recordings(queries)
    .where('Recording.status', '=', sql.lit('pending'))
    .where(folderNode(), '=', node)
    .where('Call.status', 'not in', statusesInProgress)
    .orderBy('Recording.createdAt'),
);

/** Returns recordings of ended calls that this node had not finished before it crashed. */
export const pendingRecordings = (db: Statements, node: string): Promise<RecordingRecord[]> =>
  pendingOf(db, { node });

const pendingAfter = kyselyQuery((queries, { node, afterSec }: { node: string; afterSec: number }) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select('Recording.callId')
    .where('Recording.status', '=', sql.lit('pending'))
    .where(folderNode(), '=', node)
    .where('Call.status', 'not in', statusesInProgress)
    .where('Call.endedAt', '<=', secondsAgo(afterSec))
    .orderBy('Recording.createdAt'),
);

/** Returns calls that ended at least `afterMs` ago and whose recordings this node still has to finish. */
export const overdueRecordings = async (
  db: Statements,
  { node, afterMs }: { node: string; afterMs: number },
): Promise<string[]> =>
  (await pendingAfter(db, { node, afterSec: afterMs / 1000 })).map(({ callId }) => callId);

type Left = { callId: string; node: string };

const leaving = kyselyQuery((queries, { callId, node }: Left) =>
  queries
    .updateTable('Recording')
    .set({ node })
    .where('callId', '=', callId)
    .where('status', '=', sql.lit('pending')),
);

/** Assigns a pending recording to a gateway other than the call's last holder, which has no part of it or is gone. */
export const leaveRecording = async (db: Statements, left: Left): Promise<void> => {
  await leaving(db, left);
};

const leftTo = kyselyQuery((queries, { node }: Pick<Left, 'node'>) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select('Recording.callId')
    .where('Recording.status', '=', sql.lit('pending'))
    .where('Recording.node', 'is not', null)
    .where('Recording.node', '=', node)
    .where('Call.status', 'not in', statusesInProgress),
);

/**
 * Returns ended calls whose recordings other gateways assigned to this node (`leaveRecording`). A call that another
 * gateway still has to end is omitted.
 */
export const recordingsLeftTo = async (db: Statements, node: string): Promise<string[]> =>
  (await leftTo(db, { node })).map(({ callId }) => callId);

/** State of a recording for a gateway that has raw parts of it. */
export type RecordingState = Pick<RecordingRecord, 'status' | 'truncated' | 'file' | 'finishedAt'> & {
  isErased: boolean;
  /** Whether the call has ended. */
  isOver: boolean;
  /** Whether the call ended so long ago that its raw parts are no longer needed. */
  isOld: boolean;
  /** Whether this gateway finishes the recording. */
  isHere: boolean;
};

type StatesQuery = { node: string; callIds: readonly string[]; oldAfterSec: number };

const states = kyselyQuery((queries, { node, callIds, oldAfterSec }: StatesQuery) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select([
      'Recording.callId',
      'Recording.status',
      'Recording.truncated',
      'Recording.file',
      'Recording.finishedAt',
    ])
    .select(({ eb, fn }) => [
      eb('Recording.erasedAt', 'is not', null).$castTo<boolean>().as('isErased'),
      eb('Call.status', 'not in', statusesInProgress).$castTo<boolean>().as('isOver'),
      fn
        .coalesce(eb('Call.endedAt', '<=', secondsAgo(oldAfterSec)), sql.lit(false))
        .$castTo<boolean>()
        .as('isOld'),
      eb(folderNode(), '=', node).$castTo<boolean>().as('isHere'),
    ])
    .where('Recording.callId', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/** Returns the states of these calls' recordings, as `node` sees them; omits calls without a recording. */
export const recordingStates = async (
  db: Statements,
  query: { node: string; callIds: readonly string[]; oldAfterMs: number },
): Promise<ReadonlyMap<string, RecordingState>> => {
  const { oldAfterMs, ...rest } = query;
  const found = await states(db, { ...rest, oldAfterSec: oldAfterMs / 1000 });
  return new Map(found.map(({ callId, ...state }) => [callId, state]));
};

/** Whether the call has ended and `node` finishes its recording. */
export const finishesRecording = async (
  db: Statements,
  { callId, node }: { callId: string; node: string },
): Promise<boolean> => {
  const state = (await recordingStates(db, { node, callIds: [callId], oldAfterMs: 0 })).get(callId);
  return state !== undefined && state.isOver && state.isHere;
};

const former = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('Call')
    .leftJoin('CallFactRow as fact', (join) =>
      join.onRef('fact.callId', '=', 'Call.id').on('fact.type', '=', sql.lit('call.taken_over')),
    )
    .select(['Call.epoch', 'fact.sequence', sql<string | null>`fact.data ->> 'from'`.as('from')])
    .where('Call.id', '=', callId)
    .orderBy('fact.sequence'),
);

/**
 * Returns the gateways that held a call before it was taken over, in order: each may have a part of its recording.
 * `areAll` is false if the journal lacks a take-over.
 */
export const formerHolders = async (
  db: Statements,
  callId: string,
): Promise<{ known: string[]; areAll: boolean }> => {
  const rows = await former(db, { callId });
  const known = rows.flatMap(({ from }) => from ?? []);
  return { known, areAll: known.length >= (rows[0]?.epoch ?? 1) - 1 };
};

const abandoned = kyselyQuery((queries, { afterSec }: { afterSec: number }) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select(['Recording.callId', folderNode().as('node')])
    .where('Recording.status', '=', sql.lit('pending'))
    .where('Call.status', 'not in', statusesInProgress)
    .where('Call.endedAt', '<=', secondsAgo(afterSec))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('Node').where('Node.name', '=', folderNode()).where('Node.lostAt', 'is', null))),
    )
    .orderBy('Recording.createdAt')
    .limit(1000),
);

/**
 * Returns pending recordings of calls that ended at least `afterMs` ago and whose gateway does not run. The result is
 * limited in number, oldest first.
 */
export const abandonedRecordings = (
  db: Statements,
  afterMs: number,
): Promise<{ callId: string; node: string }[]> => abandoned(db, { afterSec: afterMs / 1000 });

/** A file to remove, because its recording was erased. */
export type ErasedFile = { callId: string; file: string };

type ErasedFilesQuery = {
  /** Gateway that removes the files. */
  node: string;
  /** Call id after which the list continues. */
  after: string;
  atMost: number;
};

const filesToRemove = kyselyQuery((queries, { node, after, atMost }: ErasedFilesQuery) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select(({ ref }) => ['Recording.callId', ref('Recording.file').$notNull().as('file')])
    .where('Recording.erasedAt', 'is not', null)
    .where('Recording.file', 'is not', null)
    .where('Recording.status', '<>', sql.lit('pending'))
    .where(({ eb, or, not, exists, selectFrom }) =>
      or([
        eb(folderNode(), '=', node),
        not(
          exists(selectFrom('Node').where('Node.name', '=', folderNode()).where('Node.lostAt', 'is', null)),
        ),
      ]),
    )
    .where('Recording.callId', '>', after)
    .orderBy('Recording.callId')
    .limit(({ val }) => val(atMost)),
);

/** Returns files of erased recordings of this gateway and of gateways that do not run, ordered by call. */
export const erasedFiles = (db: Statements, wanted: ErasedFilesQuery): Promise<ErasedFile[]> =>
  filesToRemove(db, wanted);

const forgettingFile = kyselyQuery((queries, { callId }: Pick<ErasedFile, 'callId'>) =>
  queries
    .updateTable('Recording')
    .set({ file: null, bytes: null })
    .where('callId', '=', callId)
    .where('erasedAt', 'is not', null),
);

/** Records the removal of the file. */
export const forgetFile = async (db: Statements, callId: string): Promise<void> => {
  await forgettingFile(db, { callId });
};

const erasedOf = kyselyQuery((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Recording')
    .select('callId')
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('erasedAt', 'is not', null),
);

/** Returns the calls among these whose recordings were erased. */
export const erasedAmong = async (db: Statements, callIds: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await erasedOf(db, { callIds })).map(({ callId }) => callId));

/** A recording as JSON within another row; null if there is none. */
export type RecordingJson =
  | (Omit<RecordingRecord, 'createdAt' | 'finishedAt' | 'erasedAt'> & {
      createdAt: string;
      finishedAt: string | null;
      erasedAt: string | null;
    })
  | null;

/** JSON of a row of `Recording` that is left-joined to its `Call`. */
export const recordingJson = () => {
  const { ref } = expressionBuilder<Tables, 'Recording'>();
  const pairs = columnsOf('Recording').map((name) => sql`${sql.lit(name)}, ${ref(`Recording.${name}`)}`);
  return sql<RecordingJson>`case when ${ref('Recording.callId')} is not null
    then json_build_object(${sql.join(pairs)}, 'paused', ${isPaused()}) end`;
};

export const recordingFrom = (json: RecordingJson): RecordingRecord | null =>
  json && {
    ...json,
    createdAt: new Date(json.createdAt),
    finishedAt: json.finishedAt === null ? null : new Date(json.finishedAt),
    erasedAt: json.erasedAt === null ? null : new Date(json.erasedAt),
  };

const statusesOf = kyselyQuery((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Recording')
    .select(['callId', 'status'])
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/**
 * Returns the recording status of each of these calls. Calls without a recording are omitted. `callIds` must be UUIDs.
 */
export const recordingStatuses = async (
  db: Statements,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, RecordingStatus>> =>
  new Map((await statusesOf(db, { callIds })).map(({ callId, status }) => [callId, status]));

const pendingElsewhere = kyselyQuery(
  (queries, { callIds, node }: { callIds: readonly string[]; node: string }) =>
    queries
      .selectFrom('Recording')
      .innerJoin('Call', 'Call.id', 'Recording.callId')
      .select('Recording.callId')
      .where('Recording.callId', '=', ({ fn, val }) => fn.any(val(callIds)))
      .where('Recording.status', '=', sql.lit('pending'))
      .where(folderNode(), '<>', node),
);

/** Returns the calls among these whose recordings another gateway writes or has to finish. */
export const recordedElsewhere = async (
  db: Statements,
  node: string,
  callIds: readonly string[],
): Promise<ReadonlySet<string>> =>
  new Set((await pendingElsewhere(db, { callIds, node })).map(({ callId }) => callId));
