/** Statements of one connection that is nobody else's: they know no entities, and are prepared nowhere. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import type { PoolClient } from 'pg';

const texts = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (queries) => new PostgresIntrospector(queries),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Rejects when the answer takes longer than `withinMs`; the connection is then not to be used any more. */
export const askConnection = async <Found>(
  client: PoolClient,
  statement: RawBuilder<Found>,
  withinMs?: number,
): Promise<Found[]> => {
  const { sql, parameters } = statement.compile(texts);
  const query = {
    text: sql,
    values: [...parameters],
    // `pg` has it, though its types do not know it here.
    ...(withinMs === undefined ? {} : { query_timeout: withinMs }),
  };
  // The rows are what the statement says they are.
  return (await client.query(query)).rows as Found[];
};
