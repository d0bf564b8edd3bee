/**
 * SQL text for statements that run with every call, turn and delivery. The server prepares each text once per
 * connection. All other statements are written with MikroORM or Kysely.
 *
 * A text has no interpolated values, so it can be pasted into psql as it is:
 *
 * explain (generic_plan) <text>;
 *
 * The option `generic_plan` (PostgreSQL 16 and later) plans `$1`, `$2` … without values. In older versions, `prepare`
 * the text and `explain execute` it with nulls. To measure real times, prepare the text and use `explain (analyze,
 * buffers) execute name(…)` within a transaction that you roll back.
 */
import { prepareText } from './prepared-texts.ts';
import type { Statements } from './statements.ts';

export type SqlText<Values extends object, Found> = ((
  db: Pick<Statements, 'execute'>,
  values: Values,
) => Promise<Found[]>) & { text: string };

/**
 * Declares a statement. `parameters` contains the names of the values `$1`, `$2` …; the columns of the result have the
 * names of `Found`.
 */
export const sqlText = <Values extends object, Found>(
  text: string,
  parameters: readonly (keyof Values)[],
): SqlText<Values, Found> => {
  prepareText(text);
  const run = (db: Pick<Statements, 'execute'>, values: Values): Promise<Found[]> =>
    db.execute<Found>(
      text,
      parameters.map((name) => values[name]),
    );
  return Object.assign(run, { text });
};
