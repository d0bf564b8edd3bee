/**
 * Queries written with Kysely, with the names of entities and properties. A query is built each time it runs, which
 * takes some ten microseconds beside the hundreds of its statement; what runs with every call is SQL text (`sql-text.ts`).
 */
import type { Compilable } from 'kysely';
import type { Statements } from './statements.ts';
import type { Queries } from './tables.ts';

/** Runs a query once. */
export const runQuery = <Found>(
  { execute }: Pick<Statements, 'execute'>,
  query: Compilable<Found>,
): Promise<Found[]> => {
  const { sql, parameters } = query.compile();
  // The row type follows from the query, whose columns are those of the entities.
  return execute<Found>(sql, parameters);
};

/** A query with a name, as a function of its values. */
export const kyselyQuery =
  <Values extends object, Found>(write: (queries: Queries, values: Values) => Compilable<Found>) =>
  (db: Pick<Statements, 'queries' | 'execute'>, values: Values): Promise<Found[]> =>
    runQuery(db, write(db.queries, values));
