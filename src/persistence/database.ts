/** The one way to the database: MikroORM over a PostgreSQL server, embedded or configured. */
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type EntityManager, type Options } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import { connectionStartError } from './connection-errors.ts';
import { entities } from './entities/index.ts';
import { migrate, migrationTable } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { nativePool, statementRunner } from './native-pool.ts';
import { openNodeSession } from './node-session.ts';

export type Database = {
  /**
   * Runs one prepared statement. Parameters are PostgreSQL's own `$1`, `$2` …; timestamps come back as Date, 64-bit
   * integers as numbers, jsonb parsed.
   */
  execute: <Row>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;
  /** A fresh fork with an identity map of its own. */
  entityManager: () => EntityManager;
  /**
   * Calls `onNotify` for each notification on the channel, and once after a lost connection came back, since some may
   * have been missed. The returned function ends it.
   */
  listen: (channel: string, onNotify: () => void) => Promise<() => Promise<void>>;
  /** Throws when the database does not answer. */
  ping: () => Promise<void>;
  /** Ends every connection. */
  close: () => Promise<void>;
};

export type DatabaseConnection =
  /** `postgresql://user:password@host:port/database`, with the parameters that `pg` knows (`sslmode` …). */
  { url: string } | { socketFolder: string; database: string; user: string };

const connectTimeoutMs = 5_000;
const idleTimeoutMs = 30_000;

/** The address without its password, for messages; and the name of the database. */
const parseUrl = (url: string): { where: string; database: string } => {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new StartError(
      'GW_DATABASE_URL is not an address such as postgresql://user:password@host:5432/database',
    );
  }
  const database = decodeURIComponent(parsed.pathname.slice(1));
  if (database === '') throw new StartError('GW_DATABASE_URL names no database after its host');
  return { where: `${parsed.host}/${database}`, database };
};

type ConnectionOptions = Pick<Options, 'dbName' | 'host' | 'port' | 'user'> & { driverOptions?: object };

const describe = (connection: DatabaseConnection): { where: string; options: ConnectionOptions } => {
  if ('url' in connection) {
    const { where, database } = parseUrl(connection.url);
    return { where, options: { dbName: database, driverOptions: { connectionString: connection.url } } };
  }
  const { socketFolder, database, user } = connection;
  return { where: socketFolder, options: { dbName: database, host: socketFolder, port: 5432, user } };
};

/**
 * Connects, takes the name of this node and migrates. Throws a StartError when the server cannot be used, the database
 * is newer than the code, or another gateway has the same name.
 */
export const openDatabase = async (settings: {
  connection: DatabaseConnection;
  /** Connections for statements; one more is held for the node itself. */
  poolSize: number;
  /** The name of this process among those that share the database. */
  node: string;
  logger: Logger;
}): Promise<Database> => {
  const { where, options } = describe(settings.connection);
  const orm = new MikroORM({
    ...options,
    entities,
    extensions: [Migrator],
    migrations: { tableName: migrationTable, migrationsList: migrations, snapshot: false, silent: true },
    pool: { min: 0, max: settings.poolSize + 1, idleTimeoutMillis: idleTimeoutMs },
    driverOptions: {
      application_name: `trunkline ${settings.node}`,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      ...options.driverOptions,
    },
  });

  try {
    const pool = await nativePool(orm);
    const session = await openNodeSession({
      connect: () => pool.connect(),
      node: settings.node,
      logger: settings.logger,
    });
    try {
      await migrate(orm, session.client());
    } catch (error) {
      session.close();
      throw error;
    }
    const run = statementRunner(pool);
    return {
      // The row type is the caller's word: each query file states what its own statement returns.
      execute: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
        (await run(sql, parameters)) as Row[],
      entityManager: () => orm.em.fork(),
      listen: session.listen,
      ping: async () => {
        await run('select 1', []);
      },
      close: async () => {
        session.close();
        await orm.close(true);
      },
    };
  } catch (error) {
    await orm.close(true);
    throw error instanceof StartError ? error : connectionStartError(where, error);
  }
};
