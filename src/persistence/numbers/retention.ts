/** Retention of a number's calls: the number's own setting, else the setting of its workspace. */
import { expressionBuilder, sql } from 'kysely';
import type { Retention } from '#src/domain/retention.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Tables } from '../database/tables.ts';

/** Parts of a call with a retention period. */
export type Kept = keyof Retention;

/** Retention in days of a row of `PhoneNumber` joined with its `Workspace`; null for unlimited retention. */
const daysOf = (kept: Kept) => {
  const { fn } = expressionBuilder<Tables, 'PhoneNumber' | 'Workspace'>();
  const retention = fn.coalesce('PhoneNumber.retentionDays', 'Workspace.retentionDays');
  return sql<number | null>`(${retention} ->> ${sql.lit(kept)})::int`;
};

/** Condition for whether the words of this number's calls may be stored. */
export const keepsWords = (numberId: string): string => `not exists (
          select
          from phone_number
          join workspace on workspace.id = phone_number.workspace_id
          where phone_number.id = ${numberId}
            and (coalesce(phone_number.retention_days, workspace.retention_days) ->> 'words')::int = 0
        )`;

/** Returns the numbers with a retention limit, including deleted ones, whose calls still exist. */
const numbers = kyselyQuery((queries) =>
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
