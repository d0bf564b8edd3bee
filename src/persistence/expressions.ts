/** Expressions in PostgreSQL's own words, where Kysely has none. Each has a name; parameters stay parameters. */
import { sql, type AliasedExpression, type Expression } from 'kysely';

/** When the transaction began, by the clock of the database. */
export const now = sql<Date>`now()`;

/** This moment, by the clock of the database, also where the statement had to wait. */
export const clockNow = sql<Date>`clock_timestamp()`;

/** So many milliseconds after an instant. */
export const later = (at: Expression<Date>, milliseconds: number | Expression<number>) =>
  sql<Date>`${at} + make_interval(secs => ${milliseconds}::float8 / 1000)`;

export const laterOf = (one: Expression<Date>, other: Expression<Date>) =>
  sql<Date>`greatest(${one}, ${other})`;

/** From this moment on; negative for an instant that is over. */
export const millisecondsUntil = (at: Expression<Date>) =>
  sql<number>`(extract(epoch from ${at} - clock_timestamp()) * 1000)::double precision`;

/** A while before `now`. */
export const secondsAgo = (seconds: number | Expression<number>) =>
  sql<Date>`now() - make_interval(secs => ${seconds}::float8)`;

/** A while after `now`. */
export const secondsAhead = (seconds: number | Expression<number>) =>
  sql<Date>`now() + make_interval(secs => ${seconds}::float8)`;

/** So many milliseconds after an instant. */
export const afterMs = (at: Expression<Date>, milliseconds: Expression<number>) =>
  sql<Date>`${at} + make_interval(secs => ${milliseconds} / 1000.0)`;

/** From one instant to another; negative when they are the other way round. */
export const secondsBetween = (earlier: Expression<Date | null>, later: Expression<Date | null>) =>
  sql<number>`extract(epoch from ${later} - ${earlier})::double precision`;

/** An object of JSON whose fields have the names that columns have in the database. */
export const jsonOfColumns = (fields: readonly AliasedExpression<unknown, string>[]) =>
  sql<object>`(select to_jsonb(one) from (select ${sql.join(fields)}) as one)`;

/** An object of JSON with these fields. */
export const jsonObject = (fields: Readonly<Record<string, Expression<unknown>>>) =>
  sql<object>`jsonb_build_object(${sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]))})`;

/** Whether an object of JSON has so many fields at most. */
export const hasAtMost = (most: number, json: Expression<object>) =>
  sql<boolean>`(select count(*) from jsonb_object_keys(${json})) <= ${most}`;

/**
 * Read by a statement, it commits without waiting for the disk: everybody sees what it wrote at once, and it is lost only
 * if the database server itself breaks down within the next half second. The next commit that waits takes it along.
 */
export const withoutWaitingForDisk = sql<string>`set_config('synchronous_commit', 'off', true)`;

/** JSON with every occurrence of a text in its strings replaced; both texts are such as JSON writes as they are. */
export const withReplaced = <Json>(json: Expression<Json>, text: string, by: string) =>
  sql<Json>`replace(${json}::text, ${text}, ${by})::jsonb`;
