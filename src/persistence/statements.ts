/** How the rest of the folder asks the database: queries over the entities, and prepared text where it must be. */
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { CompiledQuery, Kysely, type PostgresDialect } from 'kysely';
import { entities } from './entities/index.ts';
import { EntityNames, type Queries, type Tables } from './tables.ts';

export type Statements = {
  /** How a query is written: over the entities, by their names and those of their properties. */
  queries: Queries;
  /** Rows of a table as the one parameter that `rowsOf` takes. */
  asJson: (rows: readonly object[]) => string;
  /**
   * Where a query cannot be `queries`': runs one prepared statement. Parameters are PostgreSQL's own `$1`, `$2` …; timestamps come back as Date, 64-bit
   * integers as numbers, jsonb parsed. Rejects with an error that `isTransient` knows when the database does not answer
   * in time, as `queries` do.
   */
  execute: <Row>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;
};

/** MikroORM over connections of this project's. */
export const ormOver = (dialect: PostgresDialect, options: Partial<Options> = {}): MikroORM =>
  // The connections know where the database is; a name is asked for all the same.
  new MikroORM({ entities, dbName: 'postgres', driverOptions: dialect, ...options });

/** Queries of MikroORM's, or of the same entities on other connections than MikroORM's. */
export const statementsOf = ({ em }: MikroORM, dialect?: PostgresDialect): Statements => {
  const kysely: Queries = dialect === undefined ? em.getKysely<Tables>() : new Kysely<Tables>({ dialect });
  const names = new EntityNames(em.getMetadata());
  const queries = kysely.withPlugin(names);
  return {
    queries,
    asJson: (rows) => JSON.stringify(rows.map((row) => names.inColumns(row))),
    execute: async <Found>(sql: string, parameters: readonly unknown[] = []) =>
      // The row type is the caller's word: each query file states what its own statement returns.
      (await kysely.executeQuery<Found>(CompiledQuery.raw(sql, [...parameters]))).rows,
  };
};
