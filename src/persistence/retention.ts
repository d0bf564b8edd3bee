/** The retention of a number's calls: its own, else that of its workspace. */
import { expressionBuilder, sql, type Expression } from 'kysely';
import type { Retention } from '#src/domain/retention.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Tables } from './tables.ts';

/** The parts of a call that are kept for so long. */
export type Kept = keyof Retention;

/** For a row of `PhoneNumber` that is joined with its `Workspace`; null: for ever. */
const daysOf = (kept: Kept) => {
  const { fn } = expressionBuilder<Tables, 'PhoneNumber' | 'Workspace'>();
  const retention = fn.coalesce('PhoneNumber.retentionDays', 'Workspace.retentionDays');
  return sql<number | null>`(${retention} ->> ${sql.lit(kept)})::int`;
};

/** Whether the words of a call of this number may be written down at all. */
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

/** Numbers whose calls are not kept for ever, deleted ones too: their calls are still there. */
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
