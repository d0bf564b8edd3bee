/** Query interface over the entities for the other modules of src/persistence. */
import { MikroORM, type EntityManager, type MetadataStorage, type Options } from '@mikro-orm/postgresql';
import { CompiledQuery, type PostgresDialect } from 'kysely';
import type { Execute } from './dialect.ts';
import { entities } from './entities.ts';
import type { EntityNames, Queries, Tables } from './tables.ts';

export type Statements = {
  /** Builds queries with the names of entities and their properties (`kysely-query.ts`). */
  queries: Queries;
  /** Encodes rows of a table as one parameter, which `rowsOf` and `json_populate_recordset` read. */
  asJson: (rows: readonly Readonly<Record<string, unknown>>[]) => string;
  /** Runs SQL text with `$1`, `$2` …. The caller states the type of the rows. */
  execute: <Found>(sql: string, parameters?: readonly unknown[]) => Promise<Found[]>;
};

/** MikroORM requires a database name; the connections determine the real one. */
const dbName = 'postgres';

/** Creates MikroORM without entities over connections of this project. */
export const ormWithoutEntities = (
  dialect: PostgresDialect,
  { discovery, ...options }: Partial<Options> = {},
): MikroORM =>
  new MikroORM({
    dbName,
    driverOptions: dialect,
    entities: [],
    discovery: { warnWhenNoEntities: false, ...discovery },
    ...options,
  });

let discovered: MetadataStorage | undefined;

/** Returns the metadata of all entities. The first call of the process discovers it, which takes some 80 ms. */
export const discoverEntities = (): MetadataStorage =>
  (discovered ??= new MikroORM({ dbName, entities }).getMetadata());

/** Creates MikroORM over connections of this project. */
export const ormOver = (dialect: PostgresDialect): MikroORM =>
  ormWithoutEntities(dialect, {
    discovery: {
      afterDiscovered(storage) {
        for (const metadata of discoverEntities()) storage.set(metadata.class, metadata);
      },
    },
  });

/** Creates the statements of a transaction; `kysely` and `execute` must use the same connection. */
export const statementsOf = (kysely: Queries, names: EntityNames, execute: Execute): Statements => ({
  queries: kysely.withPlugin(names),
  asJson: (rows) => JSON.stringify(rows.map((row) => names.inColumns(row))),
  execute: async <Found>(sql: string, parameters: readonly unknown[] = []) =>
    (await execute(sql, parameters)) as Found[],
});

/** Runs statements in the manager's transaction. */
export const statementsIn = (manager: EntityManager, names: EntityNames): Statements => {
  const kysely = manager.getKysely<Tables>();
  return statementsOf(kysely, names, async (sql, parameters) => {
    const { rows } = await kysely.executeQuery<object>(CompiledQuery.raw(sql, [...parameters]));
    return rows;
  });
};
