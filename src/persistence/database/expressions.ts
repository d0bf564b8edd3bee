/** Named PostgreSQL expressions that Kysely lacks. Values in them remain parameters. */
import { sql, type AliasedExpression, type Expression } from 'kysely';

/** Start of the transaction by the database clock. */
export const now = sql<Date>`now()`;

/** Current time by the database clock, even in a statement that had to wait. */
export const clockNow = sql<Date>`clock_timestamp()`;

/** The instant that is this many milliseconds after another one. */
export const later = (at: Expression<Date>, milliseconds: number | Expression<number>) =>
  sql<Date>`${at} + make_interval(secs => ${milliseconds}::float8 / 1000)`;

export const laterOf = (one: Expression<Date>, other: Expression<Date>) =>
  sql<Date>`greatest(${one}, ${other})`;

/** Milliseconds from now to an instant; negative for a past instant. */
export const millisecondsUntil = (at: Expression<Date>) =>
  sql<number>`(extract(epoch from ${at} - clock_timestamp()) * 1000)::double precision`;

/** The time that is this many seconds before `now`. */
export const secondsAgo = (seconds: number | Expression<number>) =>
  sql<Date>`now() - make_interval(secs => ${seconds}::float8)`;

/** The time that is this many seconds after `now`. */
export const secondsAhead = (seconds: number | Expression<number>) =>
  sql<Date>`now() + make_interval(secs => ${seconds}::float8)`;

/** The instant that is this many milliseconds after another one. */
export const afterMs = (at: Expression<Date>, milliseconds: Expression<number>) =>
  sql<Date>`${at} + make_interval(secs => ${milliseconds} / 1000.0)`;

/** Seconds between two instants; negative in reverse order. */
export const secondsBetween = (earlier: Expression<Date | null>, later: Expression<Date | null>) =>
  sql<number>`extract(epoch from ${later} - ${earlier})::double precision`;

/** A JSON object whose field names are the column names of the database. */
export const jsonOfColumns = (fields: readonly AliasedExpression<unknown, string>[]) =>
  sql<object>`(select to_jsonb(one) from (select ${sql.join(fields)}) as one)`;

/** A JSON object with the given fields. */
export const jsonObject = (fields: Readonly<Record<string, Expression<unknown>>>) =>
  sql<object>`jsonb_build_object(${sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]))})`;

/**
 * A statement that contains this expression commits without waiting for the disk. Its writes are visible immediately,
 * and are lost only if the database server crashes within the next half second. The next commit that waits makes them
 * durable.
 */
export const withoutWaitingForDisk = sql<string>`set_config('synchronous_commit', 'off', true)`;

/**
 * Replaces every occurrence of a text in the strings of a JSON value. Both texts must be free of characters that JSON
 * escapes.
 */
export const withReplaced = <Json>(json: Expression<Json>, text: string, by: string) =>
  sql<Json>`replace(${json}::text, ${text}, ${by})::jsonb`;
