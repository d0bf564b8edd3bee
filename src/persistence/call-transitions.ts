/** The transitions of calls' charts; see `CallTransition`. */
import { withoutWaitingForDisk } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import { columnsOf, rowsOf, type Row } from './tables.ts';

export type StoredTransition = Row<'CallTransition'>;

/** The first transition of the chart of each call: into which state, of which version. */
export type ChartOpening = { chartVersion: string; state: string };

const keeping = prepared((queries, { transitions }: { transitions: string }) =>
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
 * One statement, of however many calls, which waits for no disk. Those of a call that was never stored are left out, and
 * those of one that another gateway holds.
 */
export const keepTransitions = async (
  db: Statements,
  transitions: readonly StoredTransition[],
): Promise<void> => {
  await keeping(db, { transitions: db.asJson(transitions) });
};

const ofCall = prepared((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('CallTransition')
    .select(columnsOf('CallTransition'))
    .where('callId', '=', callId)
    .orderBy('epoch')
    .orderBy('sequence'),
);

/** In order; none of a call that was made before transitions were kept. */
export const callTransitions = (db: Statements, callId: string): Promise<StoredTransition[]> =>
  ofCall(db, { callId });
