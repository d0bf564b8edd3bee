/** The calls that a gateway holds, and how they pass to another one when it is no more. */
import { sql } from 'kysely';
import { callColumns, type CallRow } from './calls.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Queries } from './tables.ts';

const losing = (queries: Queries, node: string) =>
  queries
    .updateTable('Call')
    .set(({ eb }) => ({ epoch: eb('Call.epoch', '+', sql.lit(1)) }))
    .where('Call.node', '=', node)
    .where('Call.endedAt', 'is', null)
    .returning(callColumns);

const losingOwn = prepared((queries, { node }: { node: string }) => losing(queries, node));

const losingOfLost = prepared((queries, { node }: { node: string }) =>
  losing(queries, node).where(({ exists, selectFrom }) =>
    exists(selectFrom('Node').where('Node.name', '=', node).where('Node.lostAt', 'is not', null)),
  ),
);

/**
 * The calls that a dead process of this node held. From now on it writes nothing of them, should it live after all; nor
 * does whoever has asked for them before.
 */
export const takeFromEarlierProcess = (db: Statements, node: string): Promise<CallRow[]> =>
  losingOwn(db, { node });

/** The same, of a node that others found dead (`nodes.ts`); none as soon as it runs again. */
export const takeFromLostNode = (db: Statements, node: string): Promise<CallRow[]> =>
  losingOfLost(db, { node });
