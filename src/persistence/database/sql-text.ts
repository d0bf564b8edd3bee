/**
 * Statements as SQL text, for what runs with every call, turn and delivery. The text costs the gateway nothing to
 * build, and the server parses it once per connection (`dialect.ts`). Everything else is written with MikroORM or Kysely.
 *
 * A text has no interpolated values, so it can be pasted into psql as it is:
 *
 *     explain (generic_plan) <text>;
 *
 * `generic_plan` (PostgreSQL 16 and later) plans `$1`, `$2` … without values. For real times, prepare the text and use
 * `explain (analyze, buffers) execute name(…)` within a transaction that you roll back.
 */
import type { Statements } from './statements.ts';

export type SqlText<Values extends object, Found> = ((
  db: Pick<Statements, 'execute'>,
  values: Values,
) => Promise<Found[]>) & { text: string };

/** Names under which the server prepares the texts, once per connection. */
const preparedNames = new Map<string, string>();

/** Undefined for a text that is not of this module. */
export const preparedNameOf = (text: string): string | undefined => preparedNames.get(text);

/** `parameters` names the values of `$1`, `$2` …; the columns of the result have the names of `Found`. */
export const sqlText = <Values extends object, Found>(
  text: string,
  parameters: readonly (keyof Values)[],
): SqlText<Values, Found> => {
  preparedNames.set(text, `trunkline_${preparedNames.size + 1}`);
  const run = (db: Pick<Statements, 'execute'>, values: Values): Promise<Found[]> =>
    db.execute<Found>(
      text,
      parameters.map((name) => values[name]),
    );
  return Object.assign(run, { text });
};
