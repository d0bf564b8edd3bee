/**
 * A query that is written once and compiled once, whatever it is asked with: it costs no more than text by hand. Nearly
 * every query of this folder is one; those whose shape depends on what is asked (a list with filters) are compiled
 * each time, which takes some ten microseconds beside the hundreds that a statement takes.
 */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Statements } from './statements.ts';
import type { Queries } from './tables.ts';

/** Stands for a value until the query runs. */
class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * `write` is called once for each database. Its values are placeholders, which can be put into the query and nothing
 * else: a condition, a sum or a default on one of them belongs before the call, or into the query.
 */
export const prepared = <Values extends object, Found>(
  write: (queries: Queries, values: Values) => Compilable<Found>,
): ((db: Pick<Statements, 'queries'>, values: Values) => Promise<Found[]>) => {
  const compiled = new WeakMap<Queries, CompiledQuery<Found>>();
  return async ({ queries }, values) => {
    let query = compiled.get(queries);
    if (query === undefined) {
      const placeholders = new Proxy<Values>(Object.create(null), {
        get: (_none, name) => new Parameter(String(name)),
      });
      query = write(queries, placeholders).compile();
      compiled.set(queries, query);
    }
    const given = new Map<string, unknown>(Object.entries(values));
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Parameter ? given.get(parameter.name) : parameter,
    );
    return (await queries.executeQuery<Found>({ ...query, parameters })).rows;
  };
};
