/**
 * Work that only one gateway of a database may do at a time; the others wait. An advisory lock serializes it, on a
 * connection that is closed afterwards, so that the lock ends if its holder dies.
 */
import type { PoolClient } from 'pg';
import { takeLock } from './advisory-locks.ts';
import { askConnection } from './ask-connection.ts';
import { discard } from './dialect.ts';

/** `what` names the lock: work with the same name is mutually exclusive. */
export const withAdvisoryLock = async <Result>(
  connect: () => Promise<PoolClient>,
  what: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await connect();
  // Lost connections also reject the statements of the work.
  client.on('error', () => {});
  try {
    await askConnection(client, takeLock(`trunkline ${what}`));
    return await work(client);
  } finally {
    discard(client);
  }
};
