import { z } from 'zod';
import { runStatement } from './database-statement.ts';

/** Every row of every table, as text. */
export const everyRow = async (databaseUrl: string, except: readonly string[] = []): Promise<string> => {
  const tables = z
    .array(z.object({ name: z.string() }))
    .parse(
      await runStatement(
        databaseUrl,
        `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
      ),
    );
  // One statement, because a connection for each table would cost more than its rows.
  const rows = await runStatement(
    databaseUrl,
    tables
      .filter(({ name }) => !except.includes(name))
      .map(({ name }) => `select to_jsonb(t)::text as row from ${name} t`)
      .join(' union all '),
  );
  return JSON.stringify(rows);
};
