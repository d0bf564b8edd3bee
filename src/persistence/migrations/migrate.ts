/**
 * Migrates the database to this version of the code; there are no downgrades. Several gateways may start at the same
 * time and MikroORM's migrator takes no lock, so the caller must hold one.
 */
import { sql, type PostgresDialect } from 'kysely';
import type { PoolClient } from 'pg';
import { StartError } from '#src/domain/start-error.ts';
import { askConnection } from '../database/ask-connection.ts';
import { ormWithoutEntities } from '../database/statements.ts';
import { formerMigrations, fromFormer } from './former.ts';
import { initialName, migrationNames } from './names.ts';

export const migrationTable = 'schema_migration';

/** The migrator's own table is ignored, because it is not an entity. */
const migrationTables = sql`select 1 from pg_tables
  where schemaname = current_schema() and tablename = ${migrationTable}`;

const executedMigrations = sql<{ name: string }>`select name from ${sql.id(migrationTable)} order by id`;

const executedNames = async (client: PoolClient, withinMs?: number): Promise<string[]> => {
  const tables = await askConnection(client, migrationTables, withinMs);
  if (tables.length === 0) return [];
  return (await askConnection(client, executedMigrations, withinMs)).map(({ name }) => name);
};

/** Whether exactly the migrations of this version were executed. Rejects if an answer takes longer than `withinMs`. */
export const isMigrated = async (client: PoolClient, withinMs: number): Promise<boolean> => {
  const executed = new Set(await executedNames(client, withinMs));
  return executed.size === migrationNames.length && migrationNames.every((name) => executed.has(name));
};

const newer = (migration: string): StartError =>
  new StartError(
    `The database is newer than this version of Trunkline (it holds the migration "${migration}"): ` +
      'update Trunkline, or use another database (GW_DATABASE_URL)',
  );

const tooOld = (last: string): StartError =>
  new StartError(
    `The database was made by a development version of Trunkline before 0.1.0 (its last migration is "${last}"), ` +
      'which this version cannot bring up to date. Nothing was changed. Use an empty database (GW_DATABASE_URL, or ' +
      'another GW_DATA_DIR), or start the last version that has all former migrations with this database once, then this one',
  );

const isFormer = (name: string): boolean => /^\d{4}-/.test(name) && name <= formerMigrations.last;

/** Returns the former migrations. Later migrations have similar names, but follow the initial one. */
const formerIn = (executed: readonly string[]): string[] =>
  executed.includes(initialName) ? [] : executed.filter(isFormer);

const forgetFormer = sql`delete from ${sql.id(migrationTable)}`;

const noteMigration = (name: string) =>
  sql`insert into ${sql.id(migrationTable)} (name, executed_at) values (${name}, now())`;

/**
 * Brings a database with all former migrations to the schema of the migration `name`, and replaces the former names by
 * `name`.
 */
const takeOver = async (client: PoolClient, name: string): Promise<void> => {
  await client.query('begin');
  try {
    for (const statement of fromFormer) await client.query(statement);
    await askConnection(client, forgetFormer);
    await askConnection(client, noteMigration(name));
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

const migrateUp = async (dialect: PostgresDialect): Promise<void> => {
  // Imported only for a database that is behind: calls of a dead process wait for the modules of every other start.
  const [{ Migrator }, { migrations }] = await Promise.all([
    import('@mikro-orm/migrations'),
    import('./index.ts'),
  ]);
  const orm = ormWithoutEntities(dialect, {
    extensions: [Migrator],
    migrations: { tableName: migrationTable, migrationsList: migrations, snapshot: false, silent: true },
  });
  await orm.migrator.up();
};

/**
 * Migrates the database; does nothing if that was done. Throws a StartError for a database that a newer version
 * migrated, or that a development version before the last one created. The caller must hold the migration lock.
 */
export const migrate = async (dialect: PostgresDialect, client: PoolClient): Promise<void> => {
  const executed = await executedNames(client);
  const former = formerIn(executed);
  const unknown = executed.find(
    (name) => !former.includes(name) && migrationNames.every((known) => known !== name),
  );
  if (unknown !== undefined) throw newer(unknown);
  if (former.length > 0) {
    const isComplete = former.length === formerMigrations.count && former.includes(formerMigrations.last);
    if (!isComplete || former.length < executed.length) throw tooOld(former.toSorted().at(-1) ?? '');
    await takeOver(client, initialName);
    await migrateUp(dialect);
  } else if (executed.length < migrationNames.length) await migrateUp(dialect);
};
