/**
 * The embedded PostgreSQL of a data folder, with only the driver setup of `src/persistence/database/database.ts` (its pool, each
 * statement prepared once per connection).
 */
import { join } from 'node:path';
import { Pool } from 'pg';
import { connectionsOver, typeParsers } from '#src/persistence/database/dialect.ts';
import { prepareText } from '#src/persistence/database/prepared-texts.ts';
import { prepareSocketFolder } from '#src/persistence/embedded/socket-folder.ts';

export type BareDatabase = AsyncDisposable & {
  execute(sql: string, parameters?: readonly unknown[]): Promise<unknown[]>;
};

/** The gateway's default pool size (GW_DATABASE_POOL). */
const poolSize = 10;

/** Requires a running server in the data folder. */
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
    execute(sql, parameters = []) {
      prepareText(sql);
      return execute(sql, parameters);
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
};
