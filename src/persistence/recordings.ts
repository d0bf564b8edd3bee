/** Recordings, one at most for a call. They are begun and finished by facts (`call-facts.ts`). */
import { expressionBuilder, sql } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import { secondsAgo } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import { columnsOf, type Queries, type Row, type Tables } from './tables.ts';

export type RecordingRecord = Row<'Recording'> & {
  /** Nothing that is said now is recorded. False once the call has ended. */
  paused: boolean;
};

export type RecordingStatus = RecordingRecord['status'];

/** For a row of `Recording`, joined with its `Call`: the facts of the call say it. */
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

const recordingOf = prepared((queries, { callId }: { callId: string }) =>
  recordings(queries).where('Recording.callId', '=', callId),
);

/** The recording as the database has it, for a call that is known to belong to the caller. */
export const findRecording = async (db: Statements, callId: string): Promise<RecordingRecord | undefined> =>
  (await recordingOf(db, { callId }))[0];

/** The gateway whose folder has what there is of the recording. */
const folderNode = () => {
  const { fn } = expressionBuilder<Tables, 'Recording' | 'Call'>();
  return fn.coalesce('Recording.node', 'Call.node').$castTo<string>();
};

const pendingOf = prepared((queries, { node }: { node: string }) =>
  recordings(queries)
    .where('Recording.status', '=', 'pending')
    .where(folderNode(), '=', node)
    .where('Call.status', 'not in', statusesInProgress)
    .orderBy('Recording.createdAt'),
);

/** Recordings of ended calls that a node was to finish and did not: what a crash left behind. */
export const pendingRecordings = (db: Statements, node: string): Promise<RecordingRecord[]> =>
  pendingOf(db, { node });

type Left = { callId: string; node: string };

const leaving = prepared((queries, { callId, node }: Left) =>
  queries.updateTable('Recording').set({ node }).where('callId', '=', callId).where('status', '=', 'pending'),
);

/** The gateway that held the call last has nothing of its recording: this other one is to finish it. */
export const leaveRecording = async (db: Statements, left: Left): Promise<void> => {
  await leaving(db, left);
};

const leftTo = prepared((queries, { node }: Pick<Left, 'node'>) =>
  queries
    .selectFrom('Recording')
    .select('callId')
    .where('status', '=', 'pending')
    .where('node', 'is not', null)
    .where('node', '=', node),
);

/** The calls whose recordings other gateways have left to this node (`leaveRecording`). */
export const recordingsLeftTo = async (db: Statements, node: string): Promise<string[]> =>
  (await leftTo(db, { node })).map(({ callId }) => callId);

const abandoned = prepared((queries, { afterSec }: { afterSec: number }) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select(['Recording.callId', folderNode().as('node')])
    .where('Recording.status', '=', 'pending')
    .where('Call.status', 'not in', statusesInProgress)
    .where('Call.endedAt', '<=', secondsAgo(afterSec))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('Node').where('Node.name', '=', folderNode()).where('Node.lostAt', 'is', null))),
    )
    .orderBy('Recording.createdAt')
    .limit(1000),
);

/**
 * Recordings that are pending although their call ended `afterMs` ago or earlier, and whose gateway does not run; the
 * oldest first, so many at once.
 */
export const abandonedRecordings = (
  db: Statements,
  afterMs: number,
): Promise<{ callId: string; node: string }[]> => abandoned(db, { afterSec: afterMs / 1000 });

/** A file that is to be removed: that of a recording that was erased. */
export type ErasedFile = { callId: string; file: string };

type ErasedFilesWanted = {
  /** The gateway that is to remove them. */
  node: string;
  /** Those of the calls behind this one. */
  after: string;
  atMost: number;
};

const filesToRemove = prepared((queries, { node, after, atMost }: ErasedFilesWanted) =>
  queries
    .selectFrom('Recording')
    .innerJoin('Call', 'Call.id', 'Recording.callId')
    .select(({ ref }) => ['Recording.callId', ref('Recording.file').$notNull().as('file')])
    .where('Recording.erasedAt', 'is not', null)
    .where('Recording.file', 'is not', null)
    .where('Recording.status', '<>', 'pending')
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

/**
 * Files of recordings that were erased: of those that this gateway has, and of those whose gateway does not run; in the
 * order of their calls.
 */
export const erasedFiles = (db: Statements, wanted: ErasedFilesWanted): Promise<ErasedFile[]> =>
  filesToRemove(db, wanted);

const forgettingFile = prepared((queries, { callId }: Pick<ErasedFile, 'callId'>) =>
  queries
    .updateTable('Recording')
    .set({ file: null, bytes: null })
    .where('callId', '=', callId)
    .where('erasedAt', 'is not', null),
);

/** Says that the file is gone. */
export const forgetFile = async (db: Statements, callId: string): Promise<void> => {
  await forgettingFile(db, { callId });
};

const erasedOf = prepared((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Recording')
    .select('callId')
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('erasedAt', 'is not', null),
);

/** Those of these calls whose recordings were erased. */
export const erasedAmong = async (db: Statements, callIds: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await erasedOf(db, { callIds })).map(({ callId }) => callId));

/** A recording that is part of another row, as JSON; null where there is none. */
export type RecordingJson =
  | (Omit<RecordingRecord, 'createdAt' | 'finishedAt' | 'erasedAt'> & {
      createdAt: string;
      finishedAt: string | null;
      erasedAt: string | null;
    })
  | null;

/** For a row of `Recording` that is joined from the left to its `Call`. */
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

const statusesOf = prepared((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Recording')
    .select(['callId', 'status'])
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/** The status of each of these calls' recordings; those that have none are left out. `callIds` must be UUIDs. */
export const recordingStatuses = async (
  db: Statements,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, RecordingStatus>> =>
  new Map((await statusesOf(db, { callIds })).map(({ callId, status }) => [callId, status]));

const pendingElsewhere = prepared(
  (queries, { callIds, node }: { callIds: readonly string[]; node: string }) =>
    queries
      .selectFrom('Recording')
      .innerJoin('Call', 'Call.id', 'Recording.callId')
      .select('Recording.callId')
      .where('Recording.callId', '=', ({ fn, val }) => fn.any(val(callIds)))
      .where('Recording.status', '=', 'pending')
      .where(folderNode(), '<>', node),
);

/** Those of these calls whose recordings another gateway writes, or is to finish. */
export const recordedElsewhere = async (
  db: Statements,
  node: string,
  callIds: readonly string[],
): Promise<ReadonlySet<string>> =>
  new Set((await pendingElsewhere(db, { callIds, node })).map(({ callId }) => callId));
