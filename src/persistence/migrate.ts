/**
 * Migrates the database to this version of the code, forward only. Gateways may start at the same time and MikroORM's
 * migrator takes no lock, so the caller must hold one.
 */
import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { StartError } from '#src/domain/start-error.ts';
import { askConnection } from './ask-connection.ts';
import { migrations } from './migrations/index.ts';

export const migrationTable = 'schema_migration';

/** The migrator's own table is not an entity. */
const migrationTables = sql`select 1 from pg_tables
  where schemaname = current_schema() and tablename = ${migrationTable}`;

const executedMigrations = sql<{ name: string }>`select name from ${sql.id(migrationTable)} order by id`;

const executedNames = async (client: PoolClient): Promise<string[]> => {
  const tables = await askConnection(client, migrationTables);
  if (tables.length === 0) return [];
  return (await askConnection(client, executedMigrations)).map(({ name }) => name);
};

/** Throws a StartError for a database that a newer version has migrated. The caller must hold the migration lock. */
export const migrate = async (orm: MikroORM, client: PoolClient): Promise<void> => {
  const executed = await executedNames(client);
  const unknown = executed.find((name) => migrations.every((migration) => migration.name !== name));
  if (unknown !== undefined) {
    throw new StartError(
      `The database is newer than this version of Trunkline (it holds the migration "${unknown}"): ` +
        'update Trunkline, or use another database (GW_DATABASE_URL)',
    );
  }
  if (executed.length < migrations.length) await orm.migrator.up();
};
