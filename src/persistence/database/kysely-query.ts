/** Runs queries written with Kysely, with the names of entities and properties. */
import type { Compilable, CompiledQuery } from 'kysely';
import { prepareText } from './prepared-texts.ts';
import type { Statements } from './statements.ts';
import type { Queries } from './tables.ts';

/** Placeholder for a value that is known when the query runs. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export type KyselyQuery<Values extends object, Found> = (
  db: Pick<Statements, 'queries' | 'execute'>,
  values: Values,
) => Promise<Found[]>;

/**
 * Defines a query as a function of its values. The query is compiled at its first use and prepared by the server once
 * per connection, because compiling a query of many columns takes half a millisecond. `write` therefore sees
 * placeholders, which it can only insert into the query: conditions, sums and defaults must be computed before the call
 * or within the query.
 *
 * A constant in the condition of a partial index must be part of the text (`sql.lit`), not a parameter.
 */
export const kyselyQuery = <Values extends object, Found>(
  write: (queries: Queries, values: Values) => Compilable<Found>,
): KyselyQuery<Values, Found> => {
  let compiled: CompiledQuery<Found> | undefined;
  const compile = ({ queries }: Pick<Statements, 'queries'>, values: Values): CompiledQuery<Found> => {
    if (compiled !== undefined) return compiled;
    const names = Object.keys(values);
    // The cast is safe: Kysely accepts any value here, and `write` knows the type of the value that replaces the
    // placeholder.
    const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)])) as Values;
    compiled = write(queries, placeholders).compile();
    prepareText(compiled.sql);
    return compiled;
  };
  return (db, values) => {
    const { sql, parameters } = compile(db, values);
    const given = parameters.map((parameter): unknown =>
      parameter instanceof Placeholder ? Reflect.get(values, parameter.name) : parameter,
    );
    return db.execute<Found>(sql, given);
  };
};

/**
 * Runs a query whose shape depends on the request, such as a list with filters. The server does not prepare such
 * queries.
 */
export const runQuery = <Found>(
  { execute }: Pick<Statements, 'execute'>,
  query: Compilable<Found>,
): Promise<Found[]> => {
  const { sql, parameters } = query.compile();
  // The type of a row follows from the query, whose columns are those of the entities.
  return execute<Found>(sql, parameters);
};
