/**
 * Connections to the database with a limit on everything that could wait for ever: for a connection, for a statement,
 * for an answer that a dead connection will never bring, and for the end.
 *
 * The server breaks a statement off that takes too long, and its connection lives on. A connection on which even that
 * is not heard has died without a word (a frozen server, a network that swallows): the statement fails here and the
 * connection is discarded with it, so that the next one gets another.
 */
import { Client, Pool, type ClientBase, type ClientConfig, type PoolClient, type PoolConfig } from 'pg';
import { typeParsers } from './dialect.ts';

export type PoolLimits = {
  /** How long a statement waits for a connection, new or free. */
  connectMs: number;
  /** How long the server works on a statement. */
  statementMs: number;
  /** How long an answer is waited for; longer than `statementMs`. */
  answerMs: number;
  /** How long an idle connection is kept. */
  idleMs: number;
  /** How long a connection is silent before TCP asks whether the other side is still there. */
  keepAliveMs: number;
  /** How long statements under way may go on when the pool ends. */
  endMs: number;
};

export type OpenPool = {
  pool: Pool;
  /** Discards the connections that nobody uses just now: they may be dead. */
  renew: () => void;
  /** Breaks every connection off: statements under way fail, and the next ones get new connections. */
  breakOff: () => void;
  /** Lets statements under way end, up to a limit. */
  close: () => Promise<void>;
};

/** Keeps account of a pool's connections: all that are open, and those that are idle. */
const watchConnections = () => {
  const open = new Set<PoolClient>();
  const idle = new Set<PoolClient>();
  const closeAll = (connections: Iterable<PoolClient>) => (): void => {
    for (const { connection } of connections) connection.stream.destroy();
  };
  return {
    watch(pool: Pool) {
      // A connection that the server drops fails its statement under way; `pg` reports the loss here as well.
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

/** Where the server is and who asks, as `pg` has it. */
export type DatabaseAddress = Pick<
  PoolConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'database' | 'application_name' | 'stream'
>;

/** `pg` waits for what `onConnect` returns, though its types do not say so. */
type LimitedConfig = Omit<PoolConfig, 'onConnect'> & { onConnect?: (client: ClientBase) => Promise<unknown> };

/** Connections are made as they are needed, at most `size` at once, to where the server is by then. */
export const openPool = (settings: {
  address: () => DatabaseAddress;
  size: number;
  limits: PoolLimits;
  /** Whether statements may take as long as they like, as those of a migration do. */
  isPatient?: boolean;
}): OpenPool => {
  const { address, size, limits, isPatient = false } = settings;
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
    // Not as a parameter of the connection, which a pool between here and the server may refuse.
    config.onConnect = (client) => client.query(`set statement_timeout = ${limits.statementMs}`);
  }
  const pool = new Pool(config);
  connections.watch(pool);
  return {
    pool,
    renew: connections.closeIdle,
    breakOff: connections.closeAll,
    async close() {
      const limit = setTimeout(connections.closeAll, limits.endMs);
      // It goes on after the end: the farewell of a dead connection is never answered.
      limit.unref();
      await pool.end();
    },
  };
};
