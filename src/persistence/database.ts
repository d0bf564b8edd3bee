/**
 * The one way to the database: MikroORM over a PostgreSQL server, embedded or configured. There are three pools:
 *
 * - one for the reads and writes that somebody waits for;
 * - one for the journal of calls, whose facts come in floods and can wait: nobody else ever stands behind them;
 * - one for the node itself (`node-session.ts`), the migrations, and what is done alone (`alone.ts`).
 *
 * While the node's session finds the server gone or frozen, statements fail at once instead of each waiting for it.
 */
import type { Duplex } from 'node:stream';
import { Migrator } from '@mikro-orm/migrations';
import type { EntityManager, Options } from '@mikro-orm/postgresql';
import { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import { alone } from './alone.ts';
import { connectionStartError, DatabaseAway } from './connection-errors.ts';
import { DatabaseServers, type DatabaseServer } from './database-servers.ts';
import { serversOf } from './database-url.ts';
import { connectionsOver } from './dialect.ts';
import { migrate, migrationTable } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { openNodeSession, type NodeSessionLimits } from './node-session.ts';
import { openPool, type OpenPool, type PoolLimits } from './open-pool.ts';
import { prepared } from './prepared.ts';
import { inTransaction, ormOver, statementsOf, type Statements } from './statements.ts';
import { EntityNames, type Tables } from './tables.ts';

export type Database = Statements & {
  /** The same, on connections of the journal's own. Statements wait for each other there, not for a time limit. */
  journal: Statements;
  /** Several statements of which all are done, or none: none where `work` throws. */
  transaction: <Result>(work: (statements: Statements) => Promise<Result>) => Promise<Result>;
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
  /**
   * `postgresql://user:password@host:port/database`, with the parameters that `pg` knows (`sslmode` …), and several
   * servers of one database as `host:port,host:port`.
   */
  | { url: string }
  | { socketFolder: string; database: string; user: string }
  /** A server that is reached by streams of one's own instead of sockets. */
  | { openStream: () => Duplex };

export type DatabaseLimits = PoolLimits & NodeSessionLimits;

/** `where`: for messages, without the password. */
const describe = (
  connection: DatabaseConnection,
): { where: string; servers: [DatabaseServer, ...DatabaseServer[]] } => {
  if ('url' in connection) {
    const servers = serversOf(connection.url);
    return { where: servers.map(({ name }) => name).join(', '), servers };
  }
  if ('openStream' in connection) {
    const name = 'the stream';
    const address = { stream: connection.openStream, database: 'postgres', user: 'trunkline' };
    return { where: name, servers: [{ name, address }] };
  }
  const { socketFolder, database, user } = connection;
  return {
    where: socketFolder,
    servers: [{ name: socketFolder, address: { host: socketFolder, port: 5432, user, database } }],
  };
};

/** Says whether anybody is there. */
const answering = prepared((queries) => queries.selectNoFrom(({ lit }) => lit(1).as('one')));

/** The node's own session, one for what is done alone, and two that migrate. */
const nodePoolSize = 4;

const migrating: Partial<Options> = {
  entities: [],
  discovery: { warnWhenNoEntities: false },
  extensions: [Migrator],
  migrations: { tableName: migrationTable, migrationsList: migrations, snapshot: false, silent: true },
};

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
  const { where, servers: known } = describe(settings.connection);
  const servers = new DatabaseServers(known, limits);
  await using opened = new AsyncDisposableStack();
  const open = (pool: Pick<Parameters<typeof openPool>[0], 'size' | 'isPatient'>): OpenPool => {
    const fresh = openPool({
      address: () => ({ application_name: `trunkline ${node}`, ...servers.address() }),
      limits,
      ...pool,
    });
    opened.defer(fresh.close);
    return fresh;
  };

  try {
    const nodePool = open({ size: nodePoolSize, isPatient: true });
    // Migrations leave idle connections in the pool of the node as well.
    const patient: OpenPool[] = [nodePool];
    let requests: OpenPool | undefined;
    const connect = () => nodePool.pool.connect();
    const session = await openNodeSession({
      async connect() {
        await servers.choose();
        return connect();
      },
      node,
      limits,
      onSilence() {
        for (const pool of patient) pool.renew();
        // Somebody waits for these, and would wait longer for nothing.
        requests?.breakOff();
      },
      logger,
    });
    opened.defer(session.close);
    await alone(connect, 'migrations', (client) =>
      migrate(ormOver(connectionsOver(nodePool.pool).dialect, migrating), client),
    );
    const pool = open({ size: settings.poolSize });
    const journalPool = open({ size: journalPoolSize });
    requests = pool;
    patient.push(journalPool);
    const { isAway } = session;
    const { dialect, execute } = connectionsOver(pool.pool, { isAway });
    const orm = ormOver(dialect);
    const names = new EntityNames(orm.getMetadata());
    const statements = statementsOf(orm.em.getKysely<Tables>(), names, execute);
    const journal = connectionsOver(journalPool.pool, { isAway, turns: journalPoolSize });
    const running = opened.move();
    return {
      ...statements,
      transaction: (work) => inTransaction(statements, work),
      journal: statementsOf(new Kysely<Tables>({ dialect: journal.dialect }), names, journal.execute),
      entityManager() {
        if (isAway()) throw new DatabaseAway();
        return orm.em.fork();
      },
      listen: session.listen,
      alone: (what, work) => alone(connect, what, work),
      ping: async () => {
        await answering(statements, {});
      },
      close: () => running.disposeAsync(),
    };
  } catch (error) {
    throw error instanceof StartError ? error : connectionStartError(where, error);
  }
};
