/**
 * Runs of suites of simulated callers and callees. The gateway of a run shows that it is alive; a run whose gateway has
 * been silent for `silentSec` counts as interrupted. A number has one running suite at a time.
 */
import { expressionBuilder, sql } from 'kysely';
import type { RehearsalResult, RehearsalRun, RehearsalStatus } from '#src/domain/rehearsal.ts';
import { now, secondsAgo } from '../database/expressions.ts';
import { kyselyQuery, runQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { rowsOf, type Queries, type Row, type Tables } from '../database/tables.ts';

export type NewRehearsal = Pick<
  Row<'Rehearsal'>,
  | 'id'
  | 'workspaceId'
  | 'numberId'
  | 'suite'
  | 'source'
  | 'repeat'
  | 'parallel'
  | 'actor'
  | 'node'
  | 'callsAll'
  | 'createdAt'
>;

const silentSec = 30;

const unfinished = ['queued', 'running'] as const;

const given = [
  'id',
  'workspaceId',
  'numberId',
  'suite',
  'source',
  'repeat',
  'parallel',
  'actor',
  'node',
  'callsAll',
  'createdAt',
] as const satisfies readonly (keyof NewRehearsal)[];

const inserting = kyselyQuery((queries, { rows }: { rows: string }) =>
  queries
    .insertInto('Rehearsal')
    .columns([...given, 'status', 'aliveAt', 'callsDone'])
    .expression((read) =>
      read
        .selectFrom(rowsOf('Rehearsal', rows))
        .select([...given])
        .select([
          sql.lit<RehearsalStatus>('queued').as('status'),
          now.as('aliveAt'),
          sql.lit(0).as('callsDone'),
        ]),
    ),
);

/** Stores a new run, which is queued. */
export const createRehearsal = async (db: Statements, rehearsal: NewRehearsal): Promise<void> => {
  await inserting(db, { rows: db.asJson([rehearsal]) });
};

const columns = [
  'Rehearsal.id',
  'Rehearsal.suite',
  'Rehearsal.source',
  'Rehearsal.repeat',
  'Rehearsal.parallel',
  'Rehearsal.actor',
  'Rehearsal.problem',
  'Rehearsal.callsAll',
  'Rehearsal.callsDone',
  'Rehearsal.result',
  'Rehearsal.createdAt',
  'Rehearsal.startedAt',
  'Rehearsal.endedAt',
  'Rehearsal.numberId',
  'PhoneNumber.number',
] as const;

/** Status of a run now: `interrupted` for a run whose gateway is silent. */
const statusNow = () => {
  const { eb, and } = expressionBuilder<Tables, 'Rehearsal'>();
  return eb
    .case()
    .when(
      and([
        eb('Rehearsal.status', 'in', [...unfinished]),
        eb('Rehearsal.aliveAt', '<', secondsAgo(silentSec)),
      ]),
    )
    .then(sql.lit<RehearsalStatus>('interrupted'))
    .else(sql.ref<RehearsalStatus>('Rehearsal.status'))
    .end()
    .as('status');
};

const shown = (queries: Queries) =>
  queries
    .selectFrom('Rehearsal')
    .innerJoin('PhoneNumber', 'PhoneNumber.id', 'Rehearsal.numberId')
    .select([...columns])
    .select(statusNow());

type OwnRehearsal = { id: string; workspaceId: string };

/** Returns a run; undefined if the workspace has none with this id. */
export const findRehearsal = async (
  db: Statements,
  { id, workspaceId }: OwnRehearsal,
): Promise<RehearsalRun | undefined> => {
  const query = shown(db.queries)
    .where('Rehearsal.id', '=', id)
    .where('Rehearsal.workspaceId', '=', workspaceId);
  return (await runQuery(db, query))[0];
};

/** Lists runs, newest first by `createdAt`, then by id. */
export const listRehearsals = (
  db: Statements,
  {
    workspaceId,
    limit,
    after,
  }: { workspaceId: string; limit: number; after?: { createdAt: Date; id: string } | undefined },
): Promise<RehearsalRun[]> => {
  let listed = shown(db.queries).where('Rehearsal.workspaceId', '=', workspaceId);
  if (after !== undefined)
    listed = listed.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('Rehearsal.createdAt', 'Rehearsal.id'), '<', tuple(after.createdAt, after.id)),
    );
  return runQuery(
    db,
    listed.orderBy('Rehearsal.createdAt', 'desc').orderBy('Rehearsal.id', 'desc').limit(limit),
  );
};

/** Returns the result of the last finished run of the same suite on the same number before this one. */
export const lastResultOf = async (
  db: Statements,
  { id, suite, numberId, createdAt }: Pick<RehearsalRun, 'id' | 'suite' | 'numberId' | 'createdAt'>,
): Promise<RehearsalResult | undefined> => {
  const query = db.queries
    .selectFrom('Rehearsal')
    .select(['result'])
    .where('numberId', '=', numberId)
    .where('suite', '=', suite)
    .where('id', '<>', id)
    .where('createdAt', '<=', createdAt)
    .where('status', 'in', ['passed', 'failed'])
    .where('problem', 'is', null)
    .orderBy('createdAt', 'desc')
    .limit(1);
  return (await runQuery(db, query))[0]?.result ?? undefined;
};

const countingUnfinished = kyselyQuery((queries, { workspaceId }: { workspaceId: string }) =>
  queries
    .selectFrom('Rehearsal')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspaceId', '=', workspaceId)
    .where('status', 'in', [sql.lit(unfinished[0]), sql.lit(unfinished[1])])
    .where('aliveAt', '>=', secondsAgo(silentSec)),
);

/** Returns the number of queued and running suites of a workspace. */
export const countUnfinishedRehearsals = async (db: Statements, workspaceId: string): Promise<number> =>
  (await countingUnfinished(db, { workspaceId }))[0]?.count ?? 0;

/** Marks runs of silent gateways as interrupted, so that their numbers are free. */
const interruptSilent = async (db: Statements): Promise<void> => {
  await runQuery(
    db,
    db.queries
      .updateTable('Rehearsal')
      .set({ status: 'interrupted', endedAt: ({ ref }) => ref('aliveAt') })
      .where('status', 'in', [...unfinished])
      .where('aliveAt', '<', secondsAgo(silentSec))
      .returning('id'),
  );
};

const isUniqueViolation = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505';

/** Starts a queued run if no other run uses the number and no earlier one waits for it. */
export const claimRehearsal = async (db: Statements, id: string): Promise<boolean> => {
  await interruptSilent(db);
  const claim = db.queries
    .updateTable('Rehearsal as own')
    .set({ status: 'running', startedAt: now, aliveAt: now })
    .where('own.id', '=', id)
    .where('own.status', '=', 'queued')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('Rehearsal as other')
            .select('other.id')
            .whereRef('other.numberId', '=', 'own.numberId')
            .where(({ or, and, eb, refTuple }) =>
              or([
                eb('other.status', '=', 'running'),
                and([
                  eb('other.status', '=', 'queued'),
                  eb(refTuple('other.createdAt', 'other.id'), '<', refTuple('own.createdAt', 'own.id')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .returning('own.id');
  try {
    return (await runQuery(db, claim)).length > 0;
  } catch (error) {
    // Another gateway has just started a run on this number.
    if (isUniqueViolation(error)) return false;
    throw error;
  }
};

/** Shows that these runs are alive. Returns the ids of those that are not cancelled or interrupted. */
export const keepRehearsalsAlive = async (
  db: Statements,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await runQuery(
    db,
    db.queries
      .updateTable('Rehearsal')
      .set({ aliveAt: now })
      .where('id', 'in', [...ids])
      .where('status', 'in', [...unfinished])
      .returning('id'),
  );
  return new Set(rows.map(({ id }) => id));
};

const asJson = (result: RehearsalResult) => sql<RehearsalResult>`${JSON.stringify(result)}::jsonb`;

/** Stores the results so far of a running suite. */
export const storeRehearsalProgress = async (
  db: Statements,
  { id, result, callsDone }: { id: string; result: RehearsalResult; callsDone: number },
): Promise<void> => {
  await runQuery(
    db,
    db.queries
      .updateTable('Rehearsal')
      .set({ result: asJson(result), callsDone, aliveAt: now })
      .where('id', '=', id)
      .where('status', '=', 'running')
      .returning('id'),
  );
};

/** Ends a run that has not ended. Returns whether it had not. */
export const endRehearsal = async (
  db: Statements,
  {
    id,
    status,
    problem = null,
    result,
  }: {
    id: string;
    status: Exclude<RehearsalStatus, (typeof unfinished)[number]>;
    problem?: string | null;
    result?: RehearsalResult;
  },
): Promise<boolean> => {
  const rows = await runQuery(
    db,
    db.queries
      .updateTable('Rehearsal')
      .set({
        status,
        problem,
        endedAt: now,
        ...(result === undefined ? {} : { result: asJson(result) }),
      })
      .where('id', '=', id)
      .where('status', 'in', [...unfinished])
      .returning('id'),
  );
  return rows.length > 0;
};

/** Marks the unfinished runs of an earlier process of this gateway as interrupted. */
export const interruptRehearsalsOf = async (db: Statements, node: string): Promise<void> => {
  await runQuery(
    db,
    db.queries
      .updateTable('Rehearsal')
      .set({ status: 'interrupted', endedAt: now })
      .where('node', '=', node)
      .where('status', 'in', [...unfinished])
      .returning('id'),
  );
};

/** Deletes all finished runs of a workspace except the newest. */
export const deleteOldRehearsals = async (
  db: Statements,
  { workspaceId, most }: { workspaceId: string; most: number },
): Promise<void> => {
  await runQuery(
    db,
    db.queries
      .deleteFrom('Rehearsal')
      .where('workspaceId', '=', workspaceId)
      .where('status', 'not in', [...unfinished])
      .where('id', 'not in', ({ selectFrom }) =>
        selectFrom('Rehearsal as newer')
          .select('newer.id')
          .where('newer.workspaceId', '=', workspaceId)
          .orderBy('newer.createdAt', 'desc')
          .limit(most),
      )
      .returning('id'),
  );
};
