/** A calendar day in a time zone, from its first instant to the first instant of the next day. */
import { timestampIn } from './timestamp.ts';

export type Day = { from: Date; until: Date };

const hourMs = 3_600_000;

const dateOf = (at: number, timeZone: string): string => timestampIn(timeZone, new Date(at)).slice(0, 10);

/**
 * Returns the first millisecond at which the predicate is true. The predicate must be false at `early` and true at
 * `late`.
 */
const firstMoment = (early: number, late: number, isTrue: (at: number) => boolean): number => {
  let [before, after] = [early, late];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isTrue(middle)) after = middle;
    else before = middle;
  }
  return after;
};

/**
 * Returns the day of an instant. The bounds of a day are searched, not computed, because a day has 23 to 25 hours at
 * clock changes.
 */
export const dayOf = (at: number, timeZone: string): Day => {
  const date = dateOf(at, timeZone);
  const from = firstMoment(at - 26 * hourMs, at, (moment) => dateOf(moment, timeZone) >= date);
  const until = firstMoment(at, from + 26 * hourMs, (moment) => dateOf(moment, timeZone) > date);
  return { from: new Date(from), until: new Date(until) };
};

/**
 * Returns the day of a date such as `2026-11-21`. The search covers all time zones: at most 12 hours behind and 14
 * ahead of UTC.
 */
export const dayNamed = (date: string, timeZone: string): Day => {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const from = firstMoment(
    midnight - 15 * hourMs,
    midnight + 13 * hourMs,
    (moment) => dateOf(moment, timeZone) >= date,
  );
  return dayOf(from, timeZone);
};
