/**
 * The embedded PostgreSQL of a data folder, through the driver of `src/persistence/database.ts` (MikroORM's pool, each
 * statement prepared once per connection) and nothing else.
 */
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { prepareSocketFolder } from '#src/persistence/embedded/socket-folder.ts';
import { nativePool, statementRunner } from '#src/persistence/native-pool.ts';

export type BareDatabase = AsyncDisposable & {
  execute(sql: string, parameters?: readonly unknown[]): Promise<unknown[]>;
};

/** As many connections as a gateway has without settings of its own (GW_DATABASE_POOL). */
const poolSize = 10;

/** A server must be running there. */
export const openBareDatabase = async (dataFolder: string): Promise<BareDatabase> => {
  const orm = new MikroORM({
    host: await prepareSocketFolder(join(dataFolder, 'postgresql')),
    dbName: 'postgres',
    user: 'postgres',
    entities: [],
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize },
  });
  const run = statementRunner(await nativePool(orm));
  return {
    execute: (sql, parameters = []) => run(sql, parameters),
    [Symbol.asyncDispose]: () => orm.close(true),
  };
};
