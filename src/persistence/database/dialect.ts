/**
 * Connects MikroORM, Kysely and SQL texts to PostgreSQL over a pool of this project. MikroORM's own pool would reuse a
 * connection whose response never came, and the next statement would wait on that connection as well.
 */
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import {
  DatabaseError,
  types,
  type CustomTypesConfig,
  type Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
} from 'pg';
import { DatabaseAway } from './connection-errors.ts';
import { preparedNameOf } from './prepared-texts.ts';

/**
 * Semaphore: allows at most `most` holders at once. Others queue in order without a time limit; the wait is bounded
 * because each running task has its own limit.
 */
const limitConcurrency = (most: number): { take: () => Promise<void>; give: () => void } => {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return {
    async take() {
      if (underWay < most) underWay += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give() {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    },
  };
};

const oid = { int8: 20, timestamptz: 1184 };

/** `2026-11-21 12:00:00.123+09` → Date; the offset is the session's time zone. */
export const parseTimestamp = (text: string): Date =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));

/**
 * Parses timestamps as Date and 64-bit integers as numbers (none here approaches 2^53); other types use `pg`'s parsers.
 */
export const typeParsers: CustomTypesConfig = {
  getTypeParser: (type: number, format?: unknown) => {
    if (format !== 'binary' && type === oid.timestamptz) return parseTimestamp;
    if (format !== 'binary' && type === oid.int8) return Number;
    return types.getTypeParser(type, format === 'binary' ? 'binary' : 'text');
  },
};

/** Closes a connection that may be dead: an orderly end would wait for an answer. */
export const discard = (client: PoolClient): void => {
  client.connection.stream.destroy();
  client.release(true);
};

/** Uses a prepared statement for constant texts. Other texts differ each time or run once. */
const queryOf = (text: string, values: unknown[]): QueryConfig => {
  const name = preparedNameOf(text);
  return name === undefined ? { text, values } : { name, text, values };
};

/** A pooled connection for Kysely, from acquisition to release. */
class PooledClient implements PostgresPoolClient {
  readonly processID?: number;
  readonly #client: PoolClient;
  readonly #onRelease: () => void;
  #isDoubtful = false;

  constructor(client: PoolClient, onRelease: () => void) {
    this.#client = client;
    this.#onRelease = onRelease;
  }

  query(...asked: unknown[]): never {
    const [text, values] = asked;
    // Required by the interface for cursors, which are not used: a result is read completely.
    return this.#run(String(text), Array.isArray(values) ? values : []) as never;
  }

  async #run(text: string, values: unknown[]): Promise<QueryResult> {
    try {
      return await this.#client.query(queryOf(text, values));
    } catch (error) {
      // After an error from the server the connection still works; after any other error it may be dead and is
      // discarded.
      this.#isDoubtful ||= !(error instanceof DatabaseError);
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#isDoubtful);
    this.#onRelease();
  }
}

/** Runs a text with its parameters, `$1`, `$2` …, and resolves to its rows. */
export type Execute = (text: string, values: readonly unknown[]) => Promise<object[]>;

export type Connections = {
  dialect: PostgresDialect;
  /**
   * Bypasses Kysely's connection handling for compiled statements. That handling costs 27 µs of processor time per
   * statement, beside 45 µs for the driver.
   */
  execute: Execute;
};

/** Runs statements over a pool, which its creator must end. */
export const connectionsOver = (
  pool: Pool,
  {
    isAway = () => false,
    turns = Infinity,
  }: {
    /** Whether the database was found unresponsive: statements then fail immediately with `DatabaseAway`. */
    isAway?: () => boolean;
    /** Maximum number of concurrent statements; the wait of others does not count for `connectMs`. */
    turns?: number;
  } = {},
): Connections => {
  const { take, give } = limitConcurrency(turns);
  const forKysely: PostgresPool = {
    options: {},
    async connect() {
      if (isAway()) throw new DatabaseAway();
      await take();
      try {
        return new PooledClient(await pool.connect(), give);
      } catch (error) {
        give();
        throw error;
      }
    },
    end: async () => {},
  };
  return {
    dialect: new PostgresDialect({ pool: forKysely }),
    async execute(text, values) {
      if (isAway()) throw new DatabaseAway();
      await take();
      try {
        // Only logged: `pg` itself discards the connection of a failed statement.
        return (await pool.query(queryOf(text, [...values]))).rows;
      } finally {
        give();
      }
    },
  };
};
