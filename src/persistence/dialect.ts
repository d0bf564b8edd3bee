/**
 * The way of a statement to PostgreSQL, whether Kysely, the EntityManager or prepared text asks for it: MikroORM is
 * given this dialect, and with it the pool, instead of opening one of its own. A connection from MikroORM's own pool
 * would go back into it after an answer that never came, and the next statement would wait on it as well.
 *
 * Parameters travel apart from the text, and the server prepares each text once per connection.
 */
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import {
  DatabaseError,
  types,
  type CustomTypesConfig,
  type Pool,
  type PoolClient,
  type QueryResult,
} from 'pg';
import { DatabaseAway } from './connection-errors.ts';
import { takingTurns } from './taking-turns.ts';

const oid = { int8: 20, timestamptz: 1184 };

/** `2026-11-21 12:00:00.123+09` → Date; the offset is that of the session's time zone. */
export const parseTimestamp = (text: string): Date =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));

/** Dates as Date, 64-bit integers as numbers (none here comes near 2^53); the rest as `pg` has it. */
export const typeParsers: CustomTypesConfig = {
  getTypeParser: (type: number, format?: unknown) => {
    if (format !== 'binary' && type === oid.timestamptz) return parseTimestamp;
    if (format !== 'binary' && type === oid.int8) return Number;
    return types.getTypeParser(type, format === 'binary' ? 'binary' : 'text');
  },
};

/** Names for texts, the same for the same text: under it the server keeps the prepared statement. */
const statementNames = (): ((text: string) => string) => {
  const names = new Map<string, string>();
  return (text) => {
    let name = names.get(text);
    if (name === undefined) {
      name = `trunkline_${names.size + 1}`;
      names.set(text, name);
    }
    return name;
  };
};

/** Closes a connection that may be dead: the usual farewell would wait for an answer. */
export const discard = (client: PoolClient): void => {
  client.connection.stream.destroy();
  client.release(true);
};

/** A connection of the pool as Kysely uses it, from its acquisition to its release. */
class PreparingClient implements PostgresPoolClient {
  readonly processID?: number;
  readonly #client: PoolClient;
  readonly #nameOf: (text: string) => string;
  readonly #onRelease: () => void;
  #isDoubtful = false;

  constructor(client: PoolClient, nameOf: (text: string) => string, onRelease: () => void) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.#onRelease = onRelease;
  }

  query(...asked: unknown[]): never {
    const [text, values] = asked;
    // The declaration is overloaded for cursors, which are not used: a result is read whole.
    return this.#run(String(text), Array.isArray(values) ? values : []) as never;
  }

  async #run(text: string, values: unknown[]): Promise<QueryResult> {
    try {
      // Only statements with parameters are prepared: the text of any other differs each time, or runs once.
      return await this.#client.query(
        values.length === 0 ? { text } : { name: this.#nameOf(text), text, values },
      );
    } catch (error) {
      // An error that the server reports shows that it hears; any other may mean that the connection has died.
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
   * The same without Kysely's own way to a connection, which costs as much of the processor's time as the driver does (27
   * µs beside 45): for whatever is compiled already.
   */
  execute: Execute;
};

/** The pool stays its owner's: whoever opened it ends it. */
export const connectionsOver = (
  pool: Pool,
  {
    isAway = () => false,
    turns = Infinity,
  }: {
    /** Whether the database was found not to answer: statements then fail at once with `DatabaseAway`. */
    isAway?: () => boolean;
    /** So many statements at once; others wait in their order, however long it takes, instead of for `connectMs`. */
    turns?: number;
  } = {},
): Connections => {
  const nameOf = statementNames();
  const { take, give } = takingTurns(turns);
  const forKysely: PostgresPool = {
    options: {},
    async connect() {
      if (isAway()) throw new DatabaseAway();
      await take();
      try {
        return new PreparingClient(await pool.connect(), nameOf, give);
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
        // `pg` discards the connection of a statement that fails.
        return (await pool.query({ name: nameOf(text), text, values: [...values] })).rows;
      } finally {
        give();
      }
    },
  };
};
