/**
 * One connection that lives as long as the gateway. It holds the node's name (an advisory lock: two gateways with the
 * same name would end each other's calls), listens for notifications, and tells whether the database is there: it asks
 * the server again and again, so that one that is frozen is found as one that is gone.
 *
 * When it is lost it comes back by itself; since notifications may have been missed meanwhile, every listener is then
 * called once. A server that has not noticed the loss still holds the name for the session that is no more: that
 * session is ended first.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { StartError } from '#src/domain/start-error.ts';
import { hasNoConnectionLeft } from './connection-errors.ts';
import { discard } from './dialect.ts';

export type NodeSession = {
  listen: (channel: string, onNotify: () => void) => Promise<() => Promise<void>>;
  /** Whether the database was found to be gone or frozen, and has not answered since. */
  isAway: () => boolean;
  close: () => void;
};

export type NodeSessionLimits = {
  /** How often the server is asked whether it is there. */
  beatMs: number;
  /** A server that has not answered for so long is away. */
  beatAnswerMs: number;
  /** How long after its loss, and after each try, a session is tried again; the time doubles. */
  retryFirstMs: number;
  retryLongestMs: number;
};

type Session = { client: PoolClient; pid: number; begunAt: string };

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

const taken = z.tuple([z.object({ taken: z.boolean() })]);
const itself = z.tuple([z.object({ pid: z.number(), begunAt: z.string() })]);

/** How often a name is asked for that an ended session has yet to give back. */
const namePolls = 20;
const namePollMs = 50;

const quoted = (channel: string): string => `"${channel.replaceAll('"', '""')}"`;

/** `connect` gives an own connection. Throws a StartError when another gateway holds the name. */
export const openNodeSession = async (options: {
  connect: () => Promise<PoolClient>;
  node: string;
  limits: NodeSessionLimits;
  /** The server was silent: connections to it that say nothing either are dead. */
  onSilence: () => void;
  logger: Logger;
}): Promise<NodeSession> => {
  const { connect, node, limits, onSilence, logger } = options;
  const listeners = new Map<string, Set<() => void>>();
  let session: Session;
  let isLost = false;
  let isAway = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const ask = async (client: PoolClient, text: string, values: unknown[] = []): Promise<unknown[]> => {
    // `query_timeout` is `pg`'s, though its types do not know it here.
    const query = { text, values, query_timeout: limits.beatAnswerMs };
    return (await client.query(query)).rows;
  };

  const takeName = async (client: PoolClient): Promise<boolean> =>
    taken.parse(await ask(client, `select pg_try_advisory_lock(${lockOf('$1')}) as taken`, [node]))[0].taken;

  /** The server gives a session up whose machine has vanished: otherwise its name would stay taken for hours. */
  const begin = async (client: PoolClient): Promise<Session> => {
    await ask(
      client,
      `select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
         set_config('tcp_keepalives_count', '3', false)`,
    );
    const [{ pid, begunAt }] = itself.parse(
      await ask(
        client,
        `select pid, backend_start::text as "begunAt" from pg_stat_activity where pid = pg_backend_pid()`,
      ),
    );
    return { client, pid, begunAt };
  };

  const callListeners = (called: Iterable<() => void>): void => {
    for (const listener of called) listener();
  };

  const onLost = (lost: Session, error?: Error): void => {
    if (isClosed || isLost || lost !== session) return;
    isLost = true;
    clearTimeout(timer);
    discard(lost.client);
    logger.warn({ err: error }, 'The connection to the database was lost');
    reconnectAfter(limits.retryFirstMs);
  };

  const watch = (watched: Session): void => {
    const { client } = watched;
    client.on('error', (error) => onLost(watched, error));
    client.on('end', () => onLost(watched));
    client.on('notification', ({ channel }) => callListeners(listeners.get(channel) ?? []));
    beatLater(watched);
  };

  const beatLater = (watched: Session): void => {
    timer = setTimeout(() => void beat(watched), limits.beatMs);
  };

  const beat = async (watched: Session): Promise<void> => {
    try {
      await ask(watched.client, 'select 1');
      if (!isClosed && watched === session && !isLost) beatLater(watched);
    } catch (error) {
      if (isClosed || isLost || watched !== session) return;
      isAway = true;
      onSilence();
      onLost(watched, error instanceof Error ? error : undefined);
    }
  };

  const reconnectAfter = (delayMs: number): void => {
    timer = setTimeout(() => {
      reconnect().catch((error: unknown) => {
        logger.debug({ err: error }, 'The database is still away');
        if (!isClosed) reconnectAfter(Math.min(delayMs * 2, limits.retryLongestMs));
      });
    }, delayMs);
  };

  const connectAgain = async (): Promise<PoolClient> => {
    try {
      const client = await connect();
      await ask(client, 'select 1').catch((error: unknown) => {
        discard(client);
        throw error;
      });
      return client;
    } catch (error) {
      isAway = !hasNoConnectionLeft(error);
      throw error;
    }
  };

  const takeNameBack = async (client: PoolClient): Promise<void> => {
    if (await takeName(client)) return;
    await ask(
      client,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start = $2::timestamptz',
      [session.pid, session.begunAt],
    );
    for (let poll = 0; poll < namePolls; poll += 1) {
      await sleep(namePollMs);
      if (await takeName(client)) return;
    }
    throw new Error(`The node name ${node} is still held in the database`);
  };

  const reconnect = async (): Promise<void> => {
    const client = await connectAgain();
    isAway = false;
    let fresh: Session;
    try {
      fresh = await begin(client);
      await takeNameBack(client);
      for (const channel of listeners.keys()) await ask(client, `listen ${quoted(channel)}`);
      if (isClosed) throw new Error('Closed meanwhile');
    } catch (error) {
      discard(client);
      throw error;
    }
    session = fresh;
    isLost = false;
    watch(session);
    logger.info('The connection to the database is back');
    for (const called of listeners.values()) callListeners(called);
  };

  const first = await connect();
  try {
    session = await begin(first);
    if (!(await takeName(first))) {
      throw new StartError(
        `Another gateway named "${node}" uses this database: stop it, or give this one another name (GW_NODE)`,
      );
    }
  } catch (error) {
    discard(first);
    throw error;
  }
  watch(session);

  return {
    isAway: () => isAway,
    async listen(channel, onNotify) {
      const others = listeners.get(channel) ?? new Set();
      listeners.set(channel, others.add(onNotify));
      // After a loss the reconnection listens.
      if (!isLost) await ask(session.client, `listen ${quoted(channel)}`);
      return async () => {
        others.delete(onNotify);
        if (others.size > 0) return;
        listeners.delete(channel);
        if (isLost || isClosed) return;
        const { client } = session;
        // A connection that fails here is given up by the next beat; nobody hears its notifications any more.
        await ask(client, `unlisten ${quoted(channel)}`).catch((error: unknown) => {
          logger.debug({ err: error }, 'A channel of the database could not be left');
        });
      };
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      if (!isLost) session.client.release(true);
    },
  };
};
