/**
 * Work that only one of the gateways that share the database may do at a time: the others wait for their turn. An
 * advisory lock holds it, on a connection that is closed afterwards, so that it ends with whoever dies meanwhile.
 */
import type { PoolClient } from 'pg';
import { takeLock } from './advisory-locks.ts';
import { askConnection } from './ask-connection.ts';
import { discard } from './dialect.ts';

/** `what` is the same for all who must not do it at once. */
export const alone = async <Result>(
  connect: () => Promise<PoolClient>,
  what: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await connect();
  // Whoever works finds out by its own statements.
  client.on('error', () => {});
  try {
    await askConnection(client, takeLock(`trunkline ${what}`));
    return await work(client);
  } finally {
    discard(client);
  }
};
