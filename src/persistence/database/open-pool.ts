/**
 * Database connections with time limits for each wait: for a connection, for a statement, for the response on a dead
 * connection, and for closing.
 *
 * The server cancels a slow statement and keeps its connection. If the cancellation does not arrive either, the
 * connection died silently (a frozen server, a network that drops packets). The statement then fails in this module and
 * the connection is discarded, so that the next statement gets another connection.
 */
import { Client, Pool, type ClientBase, type ClientConfig, type PoolClient, type PoolConfig } from 'pg';
import { typeParsers } from './dialect.ts';

export type PoolLimits = {
  /** Time limit for obtaining a new or free connection. */
  connectMs: number;
  /** Time limit of the server for a statement. */
  statementMs: number;
  /** Time limit for a response, longer than `statementMs`. */
  answerMs: number;
  /** Lifetime of an idle connection. */
  idleMs: number;
  /** Silence on a connection after which TCP keep-alive probes the server. */
  keepAliveMs: number;
  /** Time limit for running statements when the pool ends. */
  endMs: number;
};

export type OpenPool = {
  pool: Pool;
  /** Discards idle connections, which may be dead. */
  renew: () => void;
  /** Discards all connections. Running statements fail, and later ones get new connections. */
  breakOff: () => void;
  /** Waits up to a limit for running statements, then closes all connections. */
  close: () => Promise<void>;
};

/** Tracks a pool's open and idle connections. */
const watchConnections = () => {
  const open = new Set<PoolClient>();
  const idle = new Set<PoolClient>();
  const closeAll = (connections: Iterable<PoolClient>) => (): void => {
    for (const { connection } of connections) connection.stream.destroy();
  };
  return {
    watch(pool: Pool) {
      // The handler is empty: when the server drops a connection, its running statement fails, and `pg` also reports
      // the loss here.
      pool.on('error', () => {});
      pool.on('connect', (client) => {
        client.on('error', () => {});
        open.add(client);
      });
      pool.on('acquire', (client) => idle.delete(client));
      pool.on('release', (_error, client) => idle.add(client));
      pool.on('remove', (client) => {
        open.delete(client);
        idle.delete(client);
      });
    },
    closeIdle: closeAll(idle),
    closeAll: closeAll(open),
  };
};

/** Server address and client name in `pg`'s form. */
export type DatabaseAddress = Pick<
  PoolConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'database' | 'application_name' | 'stream'
>;

/** `pg` awaits the result of `onConnect`, although its types do not say so. */
type LimitedConfig = Omit<PoolConfig, 'onConnect'> & { onConnect?: (client: ClientBase) => Promise<unknown> };

/** Opens connections to the current server on demand, at most `size` at once. */
export const openPool = (settings: {
  address: () => DatabaseAddress;
  size: number;
  limits: PoolLimits;
  /** Whether statements have no time limit, as in migrations. */
  isPatient?: boolean;
  /**
   * Whether the server plans each prepared statement once per connection, independent of the values. By default, the
   * server plans the first five executions again, each of which takes longer than the execution itself for the longest
   * statements.
   */
  plansOnce?: boolean;
}): OpenPool => {
  const { address, size, limits, isPatient = false, plansOnce = false } = settings;
  const connections = watchConnections();
  const config: LimitedConfig = {
    Client: class extends Client {
      constructor(options?: ClientConfig) {
        super({ ...options, ...address() });
      }
    },
    max: size,
    idleTimeoutMillis: limits.idleMs,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.keepAliveMs,
    types: typeParsers,
  };
  if (!isPatient) {
    config.query_timeout = limits.answerMs;
    // These are set by a statement, because a connection pooler may refuse connection parameters.
    const planning = plansOnce ? '; set plan_cache_mode = force_generic_plan' : '';
    config.onConnect = (client) => client.query(`set statement_timeout = ${limits.statementMs}${planning}`);
  }
  const pool = new Pool(config);
  connections.watch(pool);
  return {
    pool,
    renew: connections.closeIdle,
    breakOff: connections.closeAll,
    async close() {
      const limit = setTimeout(connections.closeAll, limits.endMs);
      // The timer also runs after `pool.end()`, because it must destroy a dead connection, which never confirms its
      // end.
      limit.unref();
      await pool.end();
    },
  };
};
