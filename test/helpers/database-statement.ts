/** Statements that belong to a server rather than to one of the gateway's databases. */
import { Client } from 'pg';

/** The same server's address with another database. */
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
