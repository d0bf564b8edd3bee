/** Statements on a server rather than on one of the gateway's databases. */
import { Client } from 'pg';
import type { Database } from '#src/persistence/database/database.ts';
import type { Scope } from './file-scope.ts';

/** Address of another database on the same server. */
export const databaseIn = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
};

/** Opens a connection for one statement. */
export const runStatement = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
};

/** Whether a session of this database waits for a lock. The server also has the databases of other tests. */
export const isLockAwaited = async ({ execute }: Pick<Database, 'execute'>): Promise<boolean> => {
  const waiting = await execute(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
};

/** Locks the rows selected by a query until the returned function is called, or the scope ends. */
export const lockRows = async (t: Scope, url: string, query: string): Promise<() => Promise<void>> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  let unlocked: Promise<void> | undefined;
  // Closing the connection ends the transaction.
  const unlock = (): Promise<void> => (unlocked ??= client.end());
  t.teardown(unlock);
  await client.query('begin');
  await client.query(`${query} for update`);
  return unlock;
};
