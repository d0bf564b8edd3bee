/** A day as people of a time zone count it, from its first moment to that of the next. */
import { timestampIn } from './timestamp.ts';

export type Day = { from: Date; until: Date };

const hourMs = 3_600_000;

const dateOf = (at: number, timeZone: string): string => timestampIn(timeZone, new Date(at)).slice(0, 10);

/** The first millisecond of which this is true; true at `late`, not true at `early`. */
const firstMoment = (early: number, late: number, isTrue: (at: number) => boolean): number => {
  let [before, after] = [early, late];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isTrue(middle)) after = middle;
    else before = middle;
  }
  return after;
};

/** With 23 to 25 hours where clocks are changed: a day is looked for, not counted. */
export const dayOf = (at: number, timeZone: string): Day => {
  const date = dateOf(at, timeZone);
  const from = firstMoment(at - 26 * hourMs, at, (moment) => dateOf(moment, timeZone) >= date);
  const until = firstMoment(at, from + 26 * hourMs, (moment) => dateOf(moment, timeZone) > date);
  return { from: new Date(from), until: new Date(until) };
};

/** The day with this date, `2026-11-21`. Clocks are at most twelve hours behind UTC and fourteen ahead of it. */
export const dayNamed = (date: string, timeZone: string): Day => {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const from = firstMoment(
    midnight - 15 * hourMs,
    midnight + 13 * hourMs,
    (moment) => dateOf(moment, timeZone) >= date,
  );
  return dayOf(from, timeZone);
};
