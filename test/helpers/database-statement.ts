/** Statements that belong to a server rather than to one of the gateway's databases. */
import { MikroORM } from '@mikro-orm/postgresql';

/** The same server's address with another database. */
export const databaseIn = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
};

/** Opens a connection for one statement. */
export const runStatement = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const orm = new MikroORM({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    dbName: 'postgres',
    driverOptions: { connectionString: url, max: 1 },
  });
  try {
    return await orm.em.getConnection().execute(sql);
  } finally {
    await orm.close(true);
  }
};
