/** Runs statements on a dedicated connection, without entities and without prepared statements. */
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

/** Rejects if the result takes longer than `withinMs`; the connection must then not be used again. */
export const askConnection = async <Found>(
  client: PoolClient,
  statement: RawBuilder<Found>,
  withinMs?: number,
): Promise<Found[]> => {
  const { sql, parameters } = statement.compile(texts);
  const query = {
    text: sql,
    values: [...parameters],
    // An option of `pg` that is missing in its types.
    ...(withinMs === undefined ? {} : { query_timeout: withinMs }),
  };
  // The cast is the caller's responsibility: the caller states the type of the rows.
  return (await client.query(query)).rows as Found[];
};
