/** Queries over the entities, by which the rest of the folder asks the database. */
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { CompiledQuery, type PostgresDialect } from 'kysely';
import type { Execute } from './dialect.ts';
import { entities } from './entities/index.ts';
import type { EntityNames, Queries } from './tables.ts';

export type Statements = {
  /** How a query is written: over the entities, by their names and those of their properties. */
  queries: Queries;
  /** Rows of a table as the one parameter that `rowsOf` takes. */
  asJson: (rows: readonly Readonly<Record<string, unknown>>[]) => string;
  /** Runs what was compiled before (`prepared.ts`). */
  run: <Found>(query: CompiledQuery<Found>) => Promise<Found[]>;
  /**
   * Runs a text by hand, with PostgreSQL's own `$1`, `$2` …; rows have the names of columns. The gateway itself has no
   * need of it: tests look so at what it wrote.
   */
  execute: <Found>(sql: string, parameters?: readonly unknown[]) => Promise<Found[]>;
};

/** MikroORM over connections of this project's. */
export const ormOver = (dialect: PostgresDialect, options: Partial<Options> = {}): MikroORM =>
  // The connections know where the database is; a name is asked for all the same.
  new MikroORM({ entities, dbName: 'postgres', driverOptions: dialect, ...options });

/** `kysely` and `execute` lead to the same connections. */
export const statementsOf = (kysely: Queries, names: EntityNames, execute: Execute): Statements => ({
  queries: kysely.withPlugin(names),
  asJson: (rows) => JSON.stringify(rows.map((row) => names.inColumns(row))),
  run: async <Found>({ sql, parameters }: CompiledQuery<Found>) =>
    // The type of a row follows from the compiled query, whose columns are the entities'.
    (await execute(sql, parameters)) as Found[],
  // The row type is the caller's word: each query file states what its own statement returns.
  execute: async <Found>(sql: string, parameters: readonly unknown[] = []) =>
    (await execute(sql, parameters)) as Found[],
});

/** A query is compiled for the connections that it comes from, and runs on the one that the transaction has. */
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
