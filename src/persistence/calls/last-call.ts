import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';

export type LastCall = Pick<Row<'Call'>, 'id' | 'direction' | 'startedAt'>;

const newest = kyselyQuery((queries, { numberId }: { numberId: string }) =>
  queries
    .selectFrom('Call')
    .select(['id', 'direction', 'startedAt'])
    .where('numberId', '=', numberId)
    .orderBy('startedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** Returns the call of a number that began last; undefined for a number without calls. */
export const findLastCall = async (db: Statements, numberId: string): Promise<LastCall | undefined> =>
  (await newest(db, { numberId })).at(0);
