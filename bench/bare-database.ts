/**
 * The embedded PostgreSQL of a data folder, through the driver of `src/persistence/database.ts` (its pool, each
 * statement prepared once per connection) and nothing else.
 */
import { join } from 'node:path';
import { Pool } from 'pg';
import { connectionsOver, typeParsers } from '#src/persistence/dialect.ts';
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
  const { execute } = connectionsOver(pool);
  return {
    execute: (sql, parameters = []) => execute(sql, parameters),
    [Symbol.asyncDispose]: () => pool.end(),
  };
};
