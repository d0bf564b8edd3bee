/**
 * One connection that lives as long as the gateway. It holds the node's name (an advisory lock: two gateways with the
 * same name would end each other's calls) and listens for notifications. When it is lost it comes back by itself;
 * since notifications may have been missed meanwhile, every listener is then called once.
 */
import type { Logger } from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import type { NativeClient } from './native-pool.ts';

export type NodeSession = {
  client: () => NativeClient;
  listen: (channel: string, onNotify: () => void) => Promise<() => Promise<void>>;
  close: () => void;
};

const firstRetryMs = 100;
const lastRetryMs = 5_000;

/** SQL for the key of the lock that stands for a node's name. */
const lockOf = (name: string): string => `hashtextextended('trunkline node ' || ${name}, 0)`;

/**
 * SQL for whether a gateway of this name runs. PostgreSQL shows the 64 bits of an advisory lock's key in two halves;
 * `objsubid` 1 says that they are one number.
 */
export const nodeIsTaken = (name: string): string => `exists (
  select from pg_locks where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint << 32 | objid::bigint = ${lockOf(name)})`;

const takeName = async (client: NativeClient, node: string): Promise<boolean> => {
  const text = `select pg_try_advisory_lock(${lockOf('$1')}) as taken`;
  const { rows } = await client.query({ text, values: [node] });
  const [row] = rows;
  return typeof row === 'object' && row !== null && 'taken' in row && row.taken === true;
};

const quoted = (channel: string): string => `"${channel.replaceAll('"', '""')}"`;

/** `connect` gives an own connection. Throws a StartError when another gateway holds the name. */
export const openNodeSession = async (options: {
  connect: () => Promise<NativeClient>;
  node: string;
  logger: Logger;
}): Promise<NodeSession> => {
  const { connect, node, logger } = options;
  const listeners = new Map<string, Set<() => void>>();
  let client: NativeClient;
  let isLost = false;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  const callListeners = (called: Iterable<() => void>): void => {
    for (const listener of called) listener();
  };

  const watch = (watched: NativeClient): void => {
    const onLost = (error?: Error): void => {
      if (isClosed || isLost || watched !== client) return;
      isLost = true;
      watched.release(true);
      logger.warn({ err: error }, 'The connection to the database was lost');
      reconnectAfter(firstRetryMs);
    };
    watched.on('error', onLost);
    watched.on('end', () => onLost());
    watched.on('notification', ({ channel }) => callListeners(listeners.get(channel) ?? []));
  };

  const reconnectAfter = (delayMs: number): void => {
    retry = setTimeout(() => {
      reconnect().catch((error: unknown) => {
        logger.debug({ err: error }, 'The database is still away');
        if (!isClosed) reconnectAfter(Math.min(delayMs * 2, lastRetryMs));
      });
    }, delayMs);
  };

  const reconnect = async (): Promise<void> => {
    const fresh = await connect();
    try {
      if (!(await takeName(fresh, node)))
        throw new Error(`The node name ${node} is still held in the database`);
      for (const channel of listeners.keys()) await fresh.query({ text: `listen ${quoted(channel)}` });
      if (isClosed) throw new Error('Closed meanwhile');
    } catch (error) {
      fresh.release(true);
      throw error;
    }
    client = fresh;
    isLost = false;
    watch(client);
    logger.info('The connection to the database is back');
    for (const called of listeners.values()) callListeners(called);
  };

  client = await connect();
  try {
    if (!(await takeName(client, node))) {
      throw new StartError(
        `Another gateway named "${node}" uses this database: stop it, or give this one another name (GW_NODE)`,
      );
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  watch(client);

  return {
    client: () => client,
    async listen(channel, onNotify) {
      const others = listeners.get(channel) ?? new Set();
      listeners.set(channel, others.add(onNotify));
      // After a loss the reconnection listens.
      if (!isLost) await client.query({ text: `listen ${quoted(channel)}` });
      return async () => {
        others.delete(onNotify);
        if (others.size > 0) return;
        listeners.delete(channel);
        if (!isLost && !isClosed) await client.query({ text: `unlisten ${quoted(channel)}` });
      };
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(retry);
      if (!isLost) client.release(true);
    },
  };
};
