/**
 * Connects MikroORM, Kysely and SQL texts to PostgreSQL by a pool of this project. MikroORM's own pool would reuse a
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
 * Creates a semaphore with at most `most` holders at once. Further holders queue in order without a time limit; the
 * wait is bounded because each running task has a limit of its own.
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

/** Parses a timestamp such as `2026-11-21 12:00:00.123+09`, whose offset is that of the session's time zone. */
export const parseTimestamp = (text: string): Date =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));

/**
 * Parses timestamps as Date and 64-bit integers as numbers (no value of this database approaches 2^53). Other types
 * have `pg`'s parsers.
 */
export const typeParsers: CustomTypesConfig = {
  getTypeParser: (type: number, format?: unknown) => {
    if (format !== 'binary' && type === oid.timestamptz) return parseTimestamp;
    if (format !== 'binary' && type === oid.int8) return Number;
    return types.getTypeParser(type, format === 'binary' ? 'binary' : 'text');
  },
};

/** Destroys a connection that may be dead, because an orderly end would wait for an answer. */
export const discard = (client: PoolClient): void => {
  client.connection.stream.destroy();
  client.release(true);
};

/** Creates the query of a text. Constant texts use a prepared statement; other texts differ each time or run once. */
const queryOf = (text: string, values: unknown[]): QueryConfig => {
  const name = preparedNameOf(text);
  return name === undefined ? { text, values } : { name, text, values };
};

/** Kysely does not release the connection of a transaction whose statement of this kind fails. */
const lastOfTransaction = /^(?:begin|start transaction|rollback)/;

/**
 * A pooled connection for Kysely, from acquisition to release. The connection is released early when it is lost: a
 * transaction on it can end in no other way.
 */
class PooledClient implements PostgresPoolClient {
  readonly processID?: number;
  readonly #client: PoolClient;
  readonly #onRelease: () => void;
  #isReleased = false;

  constructor(client: PoolClient, onRelease: () => void) {
    this.#client = client;
    this.#onRelease = onRelease;
  }

  query(...asked: unknown[]): never {
    const [text, values] = asked;
    // The interface requires cursors, which are not used: a result is always read completely.
    return this.#run(String(text), Array.isArray(values) ? values : []) as never;
  }

  async #run(text: string, values: unknown[]): Promise<QueryResult> {
    try {
      return await this.#client.query(queryOf(text, values));
    } catch (error) {
      // After an error from the server the connection still works; after any other error it may be dead.
      if (!(error instanceof DatabaseError) || lastOfTransaction.test(text)) this.#end(true);
      throw error;
    }
  }

  release(): void {
    this.#end(false);
  }

  #end(isDiscarded: boolean): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.release(isDiscarded);
    this.#onRelease();
  }
}

/** Runs a text with its parameters, `$1`, `$2` …, and resolves to its rows. */
export type Execute = (text: string, values: readonly unknown[]) => Promise<object[]>;

export type Connections = {
  dialect: PostgresDialect;
  /**
   * Executes compiled statements without Kysely's connection handling, which costs 27 µs of processor time per
   * statement, in addition to 45 µs for the driver.
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
    /** Whether the database was found unresponsive. Statements then fail immediately with `DatabaseAway`. */
    isAway?: () => boolean;
    /** Maximum number of concurrent statements. The wait of other statements does not count for `connectMs`. */
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
        // The error is only logged, because `pg` itself discards the connection of a failed statement.
        return (await pool.query(queryOf(text, [...values]))).rows;
      } finally {
        give();
      }
    },
  };
};
