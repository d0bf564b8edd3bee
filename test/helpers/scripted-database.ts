/** A database with answers defined by the test, without a server. */
import { PostgresDialect } from 'kysely';
import type { Database } from '#src/persistence/database/database.ts';
import { ormOver, statementsOf, type Statements } from '#src/persistence/database/statements.ts';
import { EntityNames, type Tables } from '#src/persistence/database/tables.ts';

/** Receives a statement's text with `$1` … and resolves to its rows, with the column names as keys. */
export type Answer = (sql: string, parameters: readonly unknown[]) => Promise<readonly object[]>;

/** Can override the functions of a real database, whose `execute` may be called by `answer`. */
export const scriptedStatements = (answer: Answer): Statements => {
  const client = {
    // The type also declares cursors, which are not used.
    query: (async (sql: string, parameters: readonly unknown[]) => {
      const rows = await answer(sql, parameters);
      return { command: 'SELECT', rowCount: rows.length, rows };
    }) as never,
    release() {},
  };
  const dialect = new PostgresDialect({
    pool: { options: {}, connect: () => Promise.resolve(client), end: () => Promise.resolve() },
  });
  const { em } = ormOver(dialect);
  return statementsOf(em.getKysely<Tables>(), new EntityNames(em.getMetadata()), async (sql, parameters) => [
    ...(await answer(sql, parameters)),
  ]);
};

/** Supports only statements. */
export const scriptedDatabase = (answer: Answer): Database => {
  const statements = scriptedStatements(answer);
  const never = (): never => {
    throw new Error('This is not asked for');
  };
  return {
    ...statements,
    journal: statements,
    transaction: never,
    entityManager: never,
    listen: never,
    withAdvisoryLock: never,
    awaitSessionEnd: never,
    ping: never,
    close: never,
  };
};
