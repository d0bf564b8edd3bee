/**
 * The only access to the database: MikroORM over a PostgreSQL server, embedded or configured. There are three pools:
 *
 * - one for reads and writes that a request waits for;
 * - one for the call journal, whose facts arrive in bursts and may wait without delaying other statements;
 * - one for the node itself (`node-session.ts`), the migrations, and mutually exclusive work (`with-advisory-lock.ts`).
 *
 * While the node's session finds the server down or frozen, statements fail immediately instead of each waiting for it.
 */
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { allOf } from '#src/domain/all-of.ts';
import { StartError } from '#src/domain/start-error.ts';
import { connectionStartError, DatabaseAway } from './connection-errors.ts';
import { DatabaseServers, type DatabaseServer } from './database-servers.ts';
import { connectionsOver, discard } from './dialect.ts';
import { isMigrated, migrate } from '../migrations/migrate.ts';
import { openNodeSession, type NodeSession, type NodeSessionLimits } from '../nodes/node-session.ts';
import { awaitSessionEnd } from '../nodes/session-end.ts';
import { openPool, type OpenPool, type PoolLimits } from './open-pool.ts';
import { discoverEntities, ormOver, statementsIn, statementsOf, type Statements } from './statements.ts';
import { EntityNames, type Tables } from './tables.ts';
import type { PoolClient } from 'pg';
import { takeLock } from './advisory-locks.ts';
import { askConnection } from './ask-connection.ts';

/**
 * Runs work that only one gateway per database may do at a time, under a PostgreSQL advisory lock named `what`; other
 * gateways wait. The connection that holds the lock is closed afterwards, so the lock is also released if the gateway
 * dies.
 */
const withAdvisoryLock = async <Result>(
  connect: () => Promise<PoolClient>,
  what: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await connect();
  // The handler is empty, because a lost connection also rejects the statements of the work.
  client.on('error', () => {});
  try {
    await askConnection(client, takeLock(`trunkline ${what}`));
    return await work(client);
  } finally {
    discard(client);
  }
};

/** Runs work on a connection, which is used again afterwards. */
const withConnection = async <Result>(
  connect: () => Promise<PoolClient>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await connect();
  let failed: Error | boolean = true;
  try {
    const result = await work(client);
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
};

/**
 * Replaces certain SSL modes of a URL by `verify-full`. `pg` treats these modes as `verify-full` and warns that a later
 * version will not; the explicit mode keeps the present meaning. With `uselibpqcompat`, the operator requests libpq's
 * meaning.
 */
const withPlainSslMode = (url: string): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replaceAll(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');

const servers = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/**
 * Reads a database URL in libpq's format: `postgresql://user:password@host:port/database`, with several servers of one
 * database as `host:port,host:port`. Throws a StartError that does not contain the password.
 */
export const serversOf = (url: string): [DatabaseServer, ...DatabaseServer[]] => {
  const [, before = '', hosts = '', behind = ''] = servers.exec(url) ?? [];
  const [first = '', ...others] = hosts.split(',');
  return [serverOf(before + first + behind), ...others.map((host) => serverOf(before + host + behind))];
};

const serverOf = (url: string): DatabaseServer => {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new StartError(
      'GW_DATABASE_URL is not an address such as postgresql://user:password@host:5432/database',
    );
  }
  const database = decodeURIComponent(parsed.pathname.slice(1));
  if (database === '') throw new StartError('GW_DATABASE_URL names no database after its host');
  return { name: `${parsed.host}/${database}`, address: { connectionString: withPlainSslMode(url) } };
};

export type Database = Statements & {
  /** Statements on the journal's own connections. Statements wait for these connections without a time limit. */
  journal: Statements;
  /**
   * Runs several statements atomically, and rolls back if `work` throws. The manager is in the same transaction, and
   * its changes are flushed at the end.
   */
  transaction: <Result>(
    work: (statements: Statements, manager: EntityManager) => Promise<Result>,
  ) => Promise<Result>;
  /** A fresh fork of the entity manager with its own identity map. */
  entityManager: () => EntityManager;
  /**
   * Calls `onNotify` for each notification on the channel. Also calls it once after a reconnect, since notifications
   * may have been missed. The returned function unsubscribes.
   */
  listen: (channel: string, onNotify: () => void) => Promise<() => Promise<void>>;
  /** Runs work under a database-wide lock named `what`; other gateways wait. */
  withAdvisoryLock: <Result>(what: string, work: () => Promise<Result>) => Promise<Result>;
  /** Waits for the end of another gateway's session; see `session-end.ts` of src/persistence/nodes. */
  awaitSessionEnd: (node: string, aborted: AbortSignal) => Promise<boolean>;
  /** Checks the database; throws if it does not respond. */
  ping: () => Promise<void>;
  /** Closes all connections within a time limit. */
  close: () => Promise<void>;
};

export type DatabaseConnection =
  /**
   * URL `postgresql://user:password@host:port/database`, with `pg` parameters (`sslmode` …). Several servers of one
   * database are written as `host:port,host:port`.
   */
  | { url: string }
  | { socketFolder: string; database: string; user: string }
  /** Opens a stream to a server that is reached without sockets. */
  | { openStream: () => Duplex };

export type DatabaseLimits = PoolLimits & NodeSessionLimits;

/** Returns the server's name for messages, without the password. */
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

/**
 * Size of the node's pool: one connection for the node's session, one for mutually exclusive work, two for migrations,
 * and two for waiting for the end of another session, because a wait may begin before the connection of the former wait
 * is closed.
 */
const nodePoolSize = 6;

/**
 * Connects, acquires the node's name and migrates. Throws a StartError if the server cannot be used, the database is
 * newer than the code, or another gateway has the same name.
 */
export const openDatabase = async (settings: {
  connection: DatabaseConnection;
  /** Number of connections for reads and writes. */
  poolSize: number;
  /** Number of connections for the journal. */
  journalPoolSize: number;
  limits: DatabaseLimits;
  /** Name of this process among the gateways of the database. */
  node: string;
  logger: Logger;
}): Promise<Database> => {
  const { limits, node, journalPoolSize, logger } = settings;
  const { where, servers: known } = describe(settings.connection);
  const servers = new DatabaseServers(known, limits);
  await using opened = new AsyncDisposableStack();
  const open = (pool: Pick<Parameters<typeof openPool>[0], 'size' | 'isPatient' | 'plansOnce'>): OpenPool => {
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
    let session: NodeSession | null = null;
    // The node's name is held until the statements of the other pools have ended.
    opened.defer(() => session?.close());
    const pool = open({ size: settings.poolSize });
    const journalPool = open({ size: journalPoolSize, plansOnce: true });
    const connect = () => nodePool.pool.connect();
    const openSession = async (): Promise<NodeSession> => {
      session = await openNodeSession({
        async connect() {
          // Another server may have replaced the lost one.
          if (session !== null) await servers.choose();
          return connect();
        },
        node,
        limits,
        onSilence() {
          // The node's pool is included, because migrations leave idle connections in it.
          for (const patient of [nodePool, journalPool]) patient.renew();
          // Pending requests fail immediately, so that they do not wait for an unreachable server.
          pool.breakOff();
        },
        logger,
      });
      return session;
    };
    await servers.choose();
    // Calls of a dead process wait for this start, and a server takes long for a new connection: the connections that are
    // needed first are opened at once, and the entities are discovered meanwhile.
    const [{ isAway, listen }, isCurrent] = await allOf([
      openSession(),
      withConnection(connect, (client) => isMigrated(client, limits.answerMs)),
      withConnection(
        () => pool.pool.connect(),
        async () => {},
      ),
      setImmediate().then(discoverEntities),
    ]);
    // Only a database that is behind needs the lock, for which other gateways wait.
    if (!isCurrent)
      await withAdvisoryLock(connect, 'migrations', (client) =>
        migrate(connectionsOver(nodePool.pool).dialect, client),
      );
    const { dialect, execute } = connectionsOver(pool.pool, { isAway });
    const orm = ormOver(dialect);
    const names = new EntityNames(orm.getMetadata());
    const statements = statementsOf(orm.em.getKysely<Tables>(), names, execute);
    const journal = connectionsOver(journalPool.pool, { isAway, turns: journalPoolSize });
    const entityManager = (): EntityManager => {
      if (isAway()) throw new DatabaseAway();
      return orm.em.fork();
    };
    const running = opened.move();
    return {
      ...statements,
      async transaction(work) {
        return entityManager().transactional((manager) => work(statementsIn(manager, names), manager));
      },
      journal: statementsOf(new Kysely<Tables>({ dialect: journal.dialect }), names, journal.execute),
      entityManager,
      listen,
      withAdvisoryLock: (what, work) => withAdvisoryLock(connect, what, work),
      awaitSessionEnd: (other, aborted) => awaitSessionEnd(connect, other, aborted),
      ping: async () => {
        await statements.execute('select 1');
      },
      close: () => running.disposeAsync(),
    };
  } catch (error) {
    throw error instanceof StartError ? error : connectionStartError(where, error);
  }
};
