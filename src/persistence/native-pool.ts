/**
 * What is used of MikroORM's connection pool itself (`pg`, which brings no types). Statements go through it rather
 * than through `Connection.execute`, which writes the parameters into the text of every statement: here they travel
 * apart from it, and the server prepares each statement once per connection.
 */
import type { MikroORM } from '@mikro-orm/postgresql';

export type NativeQuery = {
  name?: string;
  text: string;
  values?: readonly unknown[];
  types?: TypeParsers;
  /** Milliseconds without an answer after which it fails; otherwise what the pool says. */
  query_timeout?: number;
};

type TypeParsers = { getTypeParser(oid: number, format?: string): (value: string) => unknown };

export interface NativeClient {
  query(query: NativeQuery): Promise<{ rows: unknown[] }>;
  on(event: 'notification', listener: (message: { channel: string }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  /** `true` closes the connection instead of giving it back. */
  release(destroy?: boolean): void;
  connection: { stream: { destroy(): void } };
}

export interface NativePool {
  options: { types: TypeParsers };
  query(query: NativeQuery): Promise<{ rows: unknown[] }>;
  connect(): Promise<NativeClient>;
  on(event: 'connect' | 'acquire' | 'remove', listener: (client: NativeClient) => void): unknown;
  on(event: 'release', listener: (error: unknown, client: NativeClient) => void): unknown;
}

/** Runs a statement with its parameters, `$1`, `$2` …, and resolves to its rows. */
export type RunStatement = (text: string, values: readonly unknown[]) => Promise<unknown[]>;

export const nativePool = async (orm: MikroORM): Promise<NativePool> => {
  const pool: NativePool = await orm.em.getConnection().getNativeClient();
  return pool;
};

/** Closes a connection that may be dead: the usual farewell would wait for an answer. */
export const discard = (client: NativeClient): void => {
  client.connection.stream.destroy();
  client.release(true);
};

const oid = { int8: 20, timestamptz: 1184 };

/** `2026-11-21 12:00:00.123+09` → Date; the offset is that of the session's time zone. */
export const parseTimestamp = (text: string): Date =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));

/** Dates as Date, 64-bit integers as numbers (none here comes near 2^53); the rest as MikroORM has it. */
const typeParsers = (fallback: TypeParsers): TypeParsers => ({
  getTypeParser: (type, format) => {
    if (format !== 'binary' && type === oid.timestamptz) return parseTimestamp;
    if (format !== 'binary' && type === oid.int8) return Number;
    return fallback.getTypeParser(type, format);
  },
});

/** Runs statements on the pool, each prepared under a name of its own. */
export const statementRunner = (pool: NativePool): RunStatement => {
  const names = new Map<string, string>();
  const types = typeParsers(pool.options.types);
  return async (text, values) => {
    let name = names.get(text);
    if (name === undefined) {
      name = `trunkline_${names.size + 1}`;
      names.set(text, name);
    }
    return (await pool.query({ name, text, values, types })).rows;
  };
};
