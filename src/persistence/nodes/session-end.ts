/**
 * Waits for the end of another gateway's session (`node-session.ts`). PostgreSQL wakes the waiting statement within
 * milliseconds of the other process's death. The wait occupies a connection of its own.
 */
import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { once } from '#src/domain/once.ts';
import { awaitLock, nodeHasSession, nodeLock } from '../database/advisory-locks.ts';
import { askConnection } from '../database/ask-connection.ts';
import { discard } from '../database/dialect.ts';

/**
 * Prepares the connection. The settings make the server notice the end of a client that waits for a lock, where it can.
 * The name of the connection differs from the gateway's, so that it does not count as a connection of the waiting
 * gateway (`nodesWithoutConnections` of nodes.ts).
 */
const prepare = sql`select set_config('application_name', 'trunkline session watch', false),
  (select set_config(name, '5000', false) from pg_settings where name = 'client_connection_check_interval')`;

/**
 * Resolves to true when the session has ended, and to false if there was no session to wait for. Rejects when the
 * signal aborts, or if the database is unavailable, because a session that ends with the server does not mean that its
 * gateway is dead.
 */
export const awaitSessionEnd = async (
  connect: () => Promise<PoolClient>,
  node: string,
  aborted: AbortSignal,
): Promise<boolean> => {
  const client = await connect();
  const close = once(() => discard(client));
  client.on('error', () => {});
  aborted.addEventListener('abort', close, { once: true });
  try {
    aborted.throwIfAborted();
    await askConnection(client, prepare);
    const [now] = await askConnection(
      client,
      sql<{ isHeld: boolean }>`select ${nodeHasSession(sql<string>`${node}::text`)} as "isHeld"`,
    );
    if (now?.isHeld !== true) return false;
    await askConnection(client, awaitLock(nodeLock(node)));
    // A server that shuts down also ends all sessions, but answers no further statement.
    await askConnection(client, sql`select 1`);
    return true;
  } finally {
    aborted.removeEventListener('abort', close);
    close();
  }
};
