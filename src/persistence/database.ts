/**
 * The one way to the database: MikroORM over a PostgreSQL server, embedded or configured. There are three pools:
 *
 * - one for the reads and writes that somebody waits for;
 * - one for the journal of calls, whose facts come in floods and can wait: nobody else ever stands behind them;
 * - one for the node itself (`node-session.ts`), the migrations, and what is done alone (`alone.ts`).
 *
 * While the node's session finds the server gone or frozen, statements fail at once instead of each waiting for it.
 */
import { Migrator } from '@mikro-orm/migrations';
import type { EntityManager, Options } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import { alone } from './alone.ts';
import { connectionStartError, DatabaseAway } from './connection-errors.ts';
import { entities } from './entities/index.ts';
import { inTurn } from './in-turn.ts';
import { migrate, migrationTable } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { statementRunner, type RunStatement } from './native-pool.ts';
import { openNodeSession, type NodeSessionLimits } from './node-session.ts';
import { openPool, type OpenPool, type PoolLimits } from './open-pool.ts';

export type Statements = {
  /**
   * Runs one prepared statement. Parameters are PostgreSQL's own `$1`, `$2` …; timestamps come back as Date, 64-bit
   * integers as numbers, jsonb parsed. Rejects with an error that `isTransient` knows when the database does not answer
   * in time.
   */
  execute: <Row>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;
};

export type Database = Statements & {
  /** The same, on connections of the journal's own. Statements wait for each other there, not for a time limit. */
  journal: Statements;
  /** A fresh fork with an identity map of its own. */
  entityManager: () => EntityManager;
  /**
   * Calls `onNotify` for each notification on the channel, and once after a lost connection came back, since some may
   * have been missed. The returned function ends it.
   */
  listen: (channel: string, onNotify: () => void) => Promise<() => Promise<void>>;
  /** Does what must not be done by two gateways at once: `what` names it. Others wait until it is done. */
  alone: <Result>(what: string, work: () => Promise<Result>) => Promise<Result>;
  /** Throws when the database does not answer. */
  ping: () => Promise<void>;
  /** Ends every connection, within a limit. */
  close: () => Promise<void>;
};

export type DatabaseConnection =
  /** `postgresql://user:password@host:port/database`, with the parameters that `pg` knows (`sslmode` …). */
  { url: string } | { socketFolder: string; database: string; user: string };

export type DatabaseLimits = PoolLimits & NodeSessionLimits;

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

/** The node's own session, one for what is done alone, and two that migrate. */
const nodePoolSize = 4;

const statementsOf = (run: RunStatement, isAway: () => boolean): Statements => ({
  execute: async <Row>(sql: string, parameters: readonly unknown[] = []) => {
    if (isAway()) throw new DatabaseAway();
    // The row type is the caller's word: each query file states what its own statement returns.
    return (await run(sql, parameters)) as Row[];
  },
});

/**
 * Connects, takes the name of this node and migrates. Throws a StartError when the server cannot be used, the database
 * is newer than the code, or another gateway has the same name.
 */
export const openDatabase = async (settings: {
  connection: DatabaseConnection;
  /** Connections for reads and writes. */
  poolSize: number;
  /** Connections for the journal. A few more are the node's own. */
  journalPoolSize: number;
  limits: DatabaseLimits;
  /** The name of this process among those that share the database. */
  node: string;
  logger: Logger;
}): Promise<Database> => {
  const { limits, node, journalPoolSize, logger } = settings;
  const { where, options } = describe(settings.connection);
  const shared = {
    ...options,
    driverOptions: { application_name: `trunkline ${node}`, ...options.driverOptions },
  };
  await using opened = new AsyncDisposableStack();
  const open = async (pool: Parameters<typeof openPool>[0]): Promise<OpenPool> => {
    const fresh = await openPool(pool);
    opened.defer(fresh.end);
    return fresh;
  };

  try {
    const nodePool = await open({
      options: {
        ...shared,
        extensions: [Migrator],
        migrations: { tableName: migrationTable, migrationsList: migrations, snapshot: false, silent: true },
      },
      size: nodePoolSize,
      limits,
      isPatient: true,
    });
    const others: OpenPool[] = [];
    const connect = () => nodePool.native.connect();
    const session = await openNodeSession({
      connect,
      node,
      limits,
      onSilence() {
        for (const pool of others) pool.renew();
      },
      logger,
    });
    opened.defer(session.close);
    await alone(connect, 'migrations', (client) => migrate(nodePool.orm, client));
    const pool = await open({ options: { ...shared, entities }, size: settings.poolSize, limits });
    const journalPool = await open({ options: shared, size: journalPoolSize, limits });
    const statements = statementsOf(statementRunner(pool.native), session.isAway);
    others.push(pool, journalPool);
    const running = opened.move();
    return {
      ...statements,
      journal: statementsOf(inTurn(statementRunner(journalPool.native), journalPoolSize), session.isAway),
      entityManager() {
        if (session.isAway()) throw new DatabaseAway();
        return pool.orm.em.fork();
      },
      listen: session.listen,
      alone: (what, work) => alone(connect, what, work),
      ping: async () => {
        await statements.execute('select 1');
      },
      close: () => running.disposeAsync(),
    };
  } catch (error) {
    throw error instanceof StartError ? error : connectionStartError(where, error);
  }
};
