/** A database whose answers are the test's word: no server is there, and nothing is prepared or waited for. */
import { PostgresDialect } from 'kysely';
import type { Database } from '#src/persistence/database.ts';
import { ormOver, statementsOf, type Statements } from '#src/persistence/statements.ts';
import { EntityNames, type Tables } from '#src/persistence/tables.ts';

/** Given a statement's text with `$1` …, resolves to its rows under the names of their columns. */
export type Answer = (sql: string, parameters: readonly unknown[]) => Promise<readonly object[]>;

/** To be put over those of a real database, whose `execute` may be asked by `answer`. */
export const scriptedStatements = (answer: Answer): Statements => {
  const client = {
    // Declared for cursors as well, which nobody asks for.
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

/** It has statements and nothing else. */
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
    alone: never,
    ping: never,
    close: never,
  };
};
