/** Transitions of the call charts (see `CallTransition`). */
import { withoutWaitingForDisk } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { columnsOf, rowsOf, type Row } from '../database/tables.ts';

export type StoredTransition = Row<'CallTransition'>;

/** The first transition of each call's chart, which has the initial state and the chart version. */
export type ChartOpening = { chartVersion: string; state: string };

const keeping = kyselyQuery((queries, { transitions }: { transitions: string }) =>
  queries
    .with('hurried', (read) => read.selectNoFrom(withoutWaitingForDisk.as('commit')))
    .insertInto('CallTransition')
    .expression((query) =>
      query
        .selectFrom(['hurried', rowsOf('CallTransition', transitions)])
        .selectAll('given')
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('Call')
              .whereRef('Call.id', '=', 'given.callId')
              .whereRef('Call.epoch', '=', 'given.epoch'),
          ),
        ),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

/**
 * Stores transitions of several calls in one statement, without waiting for the disk. Calls that were never stored and
 * calls that another gateway holds are skipped.
 */
export const keepTransitions = async (
  db: Statements,
  transitions: readonly StoredTransition[],
): Promise<void> => {
  await keeping(db, { transitions: db.asJson(transitions) });
};

const ofCall = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('CallTransition')
    .select(columnsOf('CallTransition'))
    .where('callId', '=', callId)
    .orderBy('epoch')
    .orderBy('sequence'),
);

/** Returns the transitions in order; empty for calls that ended before transitions were stored. */
export const callTransitions = (db: Statements, callId: string): Promise<StoredTransition[]> =>
  ofCall(db, { callId });
