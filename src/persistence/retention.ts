/** Retention of a number's calls: its own setting, else that of its workspace. */
import { expressionBuilder, sql, type Expression } from 'kysely';
import type { Retention } from '#src/domain/retention.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Tables } from './tables.ts';

/** Parts of a call with a retention period. */
export type Kept = keyof Retention;

/** For a row of `PhoneNumber` joined with its `Workspace`; null: unlimited. */
const daysOf = (kept: Kept) => {
  const { fn } = expressionBuilder<Tables, 'PhoneNumber' | 'Workspace'>();
  const retention = fn.coalesce('PhoneNumber.retentionDays', 'Workspace.retentionDays');
  return sql<number | null>`(${retention} ->> ${sql.lit(kept)})::int`;
};

/** Whether the words of this number's calls may be stored at all. */
export const keepsWords = (numberId: Expression<string>) => {
  const { not, exists } = expressionBuilder<Tables>();
  return not(
    exists(
      expressionBuilder<Tables>()
        .selectFrom('PhoneNumber')
        .innerJoin('Workspace', 'Workspace.id', 'PhoneNumber.workspaceId')
        .select('PhoneNumber.id')
        .where('PhoneNumber.id', '=', numberId)
        .where(daysOf('words'), '=', 0),
    ),
  );
};

/** Numbers with a retention limit, including deleted ones, whose calls still exist. */
const numbers = prepared((queries) =>
  queries
    .selectFrom('PhoneNumber')
    .innerJoin('Workspace', 'Workspace.id', 'PhoneNumber.workspaceId')
    .select(['PhoneNumber.id', daysOf('recordings').as('recordings'), daysOf('words').as('words')])
    .where(({ or, eb }) =>
      or([eb(daysOf('recordings'), 'is not', null), eb(daysOf('words'), 'is not', null)]),
    ),
);

export type NumberRetention = Retention & { id: string };

export const numbersWithRetention = (db: Statements): Promise<NumberRetention[]> => numbers(db, {});
