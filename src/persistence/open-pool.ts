/**
 * Connections to the database with a limit on everything that could wait for ever: for a connection, for a statement,
 * for an answer that a dead connection will never bring, and for the end.
 *
 * The server breaks a statement off that takes too long, and its connection lives on. A connection on which even that
 * is not heard has died without a word (a frozen server, a network that swallows): the statement fails here and the
 * connection is discarded with it, so that the next one gets another.
 */
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { nativePool, type NativeClient, type NativePool } from './native-pool.ts';

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
  orm: MikroORM;
  native: NativePool;
  /** Discards the connections that nobody uses just now: they may be dead. */
  renew: () => void;
  /** Lets statements under way end, up to a limit. */
  end: () => Promise<void>;
};

/** Keeps account of a pool's connections: all that are open, and those that are idle. */
const watchConnections = () => {
  const open = new Set<NativeClient>();
  const idle = new Set<NativeClient>();
  const closeAll = (connections: Iterable<NativeClient>) => (): void => {
    for (const { connection } of connections) connection.stream.destroy();
  };
  return {
    watch(pool: NativePool) {
      pool.on('connect', (client) => open.add(client));
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

const withoutEntities: Options = { entities: [], discovery: { warnWhenNoEntities: false } };

/** Connections are made as they are needed, at most `size` at once. Without entities it is for statements alone. */
export const openPool = async (settings: {
  options: Options & { driverOptions?: object };
  size: number;
  limits: PoolLimits;
  /** Whether statements may take as long as they like, as those of a migration do. */
  isPatient?: boolean;
}): Promise<OpenPool> => {
  const { options, size, limits, isPatient = false } = settings;
  const connections = watchConnections();
  const orm = new MikroORM({
    ...withoutEntities,
    ...options,
    pool: { min: 0, max: size, idleTimeoutMillis: limits.idleMs },
    driverOptions: {
      onPoolCreated: connections.watch,
      connectionTimeoutMillis: limits.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: limits.keepAliveMs,
      ...(isPatient
        ? {}
        : {
            query_timeout: limits.answerMs,
            // Not as a parameter of the connection, which a pool between here and the server may refuse.
            onConnect: (client: NativeClient) =>
              client.query({ text: `set statement_timeout = ${limits.statementMs}` }),
          }),
      ...options.driverOptions,
    },
  });
  const native = await nativePool(orm);
  return {
    orm,
    native,
    renew: connections.closeIdle,
    async end() {
      const limit = setTimeout(connections.closeAll, limits.endMs);
      // It goes on after the end: the farewell of a dead connection is never answered.
      limit.unref();
      await orm.close(true);
    },
  };
};
