/**
 * Brings the database up to this version of the code, forward only. Gateways may start at the same time, and the
 * migrator of MikroORM takes no lock of its own: whoever migrates does so alone.
 */
import type { MikroORM } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import { StartError } from '#src/domain/start-error.ts';
import { migrations } from './migrations/index.ts';

export const migrationTable = 'schema_migration';

const executedNames = async (client: PoolClient): Promise<string[]> => {
  const { rows: tables } = await client.query({
    text: 'select 1 from pg_tables where schemaname = current_schema() and tablename = $1',
    values: [migrationTable],
  });
  if (tables.length === 0) return [];
  const { rows } = await client.query({ text: `select name from ${migrationTable} order by id` });
  return rows.map((row) =>
    typeof row === 'object' && row !== null && 'name' in row ? String(row.name) : '',
  );
};

/** Throws a StartError for a database that a newer version has migrated. Nobody else may migrate meanwhile. */
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
