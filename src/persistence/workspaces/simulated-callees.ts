/**
 * Callees of the simulated line with a script. Each call reads its callee, so a change is valid at once at all
 * gateways.
 */
import type { SimulatedCallee } from '#src/domain/simulated-callee.ts';
import type { Database } from '../database/database.ts';
import { inBatches } from '../database/in-batches.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { rowsOf } from '../database/tables.ts';

type Callee = { workspaceId: string; number: string };

const putting = kyselyQuery((queries, { given }: { given: string }) =>
  queries
    .insertInto('SimulatedCallee')
    .columns(['workspaceId', 'number', 'script', 'rehearsal'])
    .expression((read) =>
      read
        .selectFrom(rowsOf('SimulatedCallee', given))
        .select(['workspaceId', 'number', 'script', 'rehearsal']),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'number']).doUpdateSet(({ ref }) => ({
        script: ref('excluded.script'),
        rehearsal: ref('excluded.rehearsal'),
      })),
    ),
);

/** Replaces an earlier callee of this number. */
export const putSimulatedCallee = async (db: Statements, callee: Callee & SimulatedCallee): Promise<void> => {
  await putting(db, { given: db.asJson([callee]) });
};

const finding = kyselyQuery((queries, { given }: { given: string }) =>
  queries
    .selectFrom(rowsOf('SimulatedCallee', given))
    .innerJoin('SimulatedCallee', (join) =>
      join
        .onRef('SimulatedCallee.workspaceId', '=', 'given.workspaceId')
        .onRef('SimulatedCallee.number', '=', 'given.number'),
    )
    .select([
      'SimulatedCallee.workspaceId',
      'SimulatedCallee.number',
      'SimulatedCallee.script',
      'SimulatedCallee.rehearsal',
    ]),
);

/** Returns the callee of this number; `undefined` for a number that the workspace has not defined. */
export const findSimulatedCallee = async (
  db: Statements,
  callee: Callee,
): Promise<SimulatedCallee | undefined> => (await finding(db, { given: db.asJson([callee]) }))[0];

const listing = kyselyQuery((queries, { workspaceId, limit }: { workspaceId: string; limit: number }) =>
  queries
    .selectFrom('SimulatedCallee')
    .where('workspaceId', '=', workspaceId)
    .select(['number', 'script'])
    .orderBy('number')
    .limit(limit),
);

/** Returns the first callees of a workspace, by number. */
export const listSimulatedCallees = (
  db: Statements,
  wanted: { workspaceId: string; limit: number },
): Promise<Pick<Callee & SimulatedCallee, 'number' | 'script'>[]> => listing(db, wanted);

const deleting = kyselyQuery((queries, { workspaceId, number }: Callee) =>
  queries
    .deleteFrom('SimulatedCallee')
    .where('workspaceId', '=', workspaceId)
    .where('number', '=', number)
    .returning('number'),
);

/** Returns whether there was a callee of this number. */
export const deleteSimulatedCallee = async (db: Statements, callee: Callee): Promise<boolean> =>
  (await deleting(db, callee)).length > 0;

const keyOf = ({ workspaceId, number }: Callee): string => `${workspaceId} ${number}`;

/** Look-ups of calls that are placed at the same time share one query. */
export const createSimulatedCalleeSearch = (
  db: Database,
): ((callee: Callee) => Promise<SimulatedCallee | undefined>) =>
  inBatches(async (callees: readonly Callee[]) => {
    const found = await finding(db, { given: db.asJson(callees) });
    const byKey = new Map(found.map((row) => [keyOf(row), row]));
    return (callee) => byKey.get(keyOf(callee));
  });
