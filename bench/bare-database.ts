/**
 * The embedded PostgreSQL of a data folder, through the driver of `src/persistence/database.ts` (its pool, each
 * statement prepared once per connection) and nothing else.
 */
import { join } from 'node:path';
import { CompiledQuery, Kysely } from 'kysely';
import { Pool } from 'pg';
import { dialectOver, typeParsers } from '#src/persistence/dialect.ts';
import { prepareSocketFolder } from '#src/persistence/embedded/socket-folder.ts';

export type BareDatabase = AsyncDisposable & {
  execute(sql: string, parameters?: readonly unknown[]): Promise<unknown[]>;
};

/** As many connections as a gateway has without settings of its own (GW_DATABASE_POOL). */
const poolSize = 10;

/** A server must be running there. */
export const openBareDatabase = async (dataFolder: string): Promise<BareDatabase> => {
  const pool = new Pool({
    host: await prepareSocketFolder(join(dataFolder, 'postgresql')),
    port: 5432,
    database: 'postgres',
    user: 'postgres',
    max: poolSize,
    types: typeParsers,
  });
  const kysely = new Kysely({ dialect: dialectOver(pool) });
  return {
    execute: async (sql, parameters = []) =>
      (await kysely.executeQuery(CompiledQuery.raw(sql, [...parameters]))).rows,
    [Symbol.asyncDispose]: () => pool.end(),
  };
};
