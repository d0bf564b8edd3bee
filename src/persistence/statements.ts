/** Query interface over the entities for the other modules of this folder. */
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { CompiledQuery, type PostgresDialect } from 'kysely';
import type { Execute } from './dialect.ts';
import { entities } from './entities/index.ts';
import type { EntityNames, Queries } from './tables.ts';

export type Statements = {
  /** Query builder with the names of entities and their properties. */
  queries: Queries;
  /** Encodes rows of a table as the one parameter that `rowsOf` reads. */
  asJson: (rows: readonly Readonly<Record<string, unknown>>[]) => string;
  /** Runs a compiled query (`prepared.ts`). */
  run: <Found>(query: CompiledQuery<Found>) => Promise<Found[]>;
  /**
   * Runs SQL text with `$1`, `$2` …; rows have column names. The gateway does not need it: tests use it to inspect
   * stored data.
   */
  execute: <Found>(sql: string, parameters?: readonly unknown[]) => Promise<Found[]>;
};

/** MikroORM over connections of this project. */
export const ormOver = (dialect: PostgresDialect, options: Partial<Options> = {}): MikroORM =>
  // The connections determine the database, but MikroORM requires a name.
  new MikroORM({ entities, dbName: 'postgres', driverOptions: dialect, ...options });

/** `kysely` and `execute` use the same connections. */
export const statementsOf = (kysely: Queries, names: EntityNames, execute: Execute): Statements => ({
  queries: kysely.withPlugin(names),
  asJson: (rows) => JSON.stringify(rows.map((row) => names.inColumns(row))),
  run: async <Found>({ sql, parameters }: CompiledQuery<Found>) =>
    // The row type follows from the compiled query, whose columns are those of the entities.
    (await execute(sql, parameters)) as Found[],
  // The caller states the row type: each query file states the result of its own statement.
  execute: async <Found>(sql: string, parameters: readonly unknown[] = []) =>
    (await execute(sql, parameters)) as Found[],
});

/** A query is compiled for the connections of its origin and runs on the transaction's connection. */
export const inTransaction = <Result>(
  { queries, asJson }: Statements,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> =>
  queries.transaction().execute((transaction) => {
    const run = async <Found>(query: CompiledQuery<Found>): Promise<Found[]> =>
      (await transaction.executeQuery(query)).rows;
    return work({
      queries,
      asJson,
      run,
      execute: (text, parameters = []) => run(CompiledQuery.raw(text, [...parameters])),
    });
  });
