import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';

export type LastCall = Pick<Row<'Call'>, 'id' | 'direction' | 'startedAt'>;

const newest = kyselyQuery((queries, { numberIds }: { numberIds: readonly string[] }) =>
  queries
    .selectFrom('PhoneNumber as number')
    // One look-up in the index for each number: a sorted read of all their calls would grow with the calls.
    .innerJoinLateral(
      (lateral) =>
        lateral
          .selectFrom('Call as call')
          .select(['call.id', 'call.direction', 'call.startedAt'])
          .whereRef('call.numberId', '=', 'number.id')
          .orderBy('call.startedAt', 'desc')
          .orderBy('call.id', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .select(['number.id as numberId', 'last.id', 'last.direction', 'last.startedAt'])
    .where('number.id', '=', ({ fn, val }) => fn.any(val(numberIds))),
);

/** Returns for each number the call that began last. Numbers without calls are absent. */
export const findLastCalls = async (
  db: Statements,
  numberIds: readonly string[],
): Promise<ReadonlyMap<string, LastCall>> => {
  const rows = await newest(db, { numberIds });
  return new Map(rows.map(({ numberId, ...call }) => [numberId, call]));
};
