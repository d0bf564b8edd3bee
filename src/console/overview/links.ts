/** Where the figures of the overview lead: to the list of the calls that they count. */
import type { Overview } from '../api/records.ts';
import type { CallFilters } from '../api.ts';
import { linkTo } from '../shown-page.ts';

type Day = Overview['days'][number];

/** The date of a day, in the time zone of the workspace, which its timestamps are written in. */
export const dateOf = (day: Day): string => day.from.slice(0, 10);

/** The calls of these days, of which there is one at least, that have all of `filters`. */
export const callsOf = (days: readonly Day[], filters: CallFilters = {}): string => {
  const [first, last] = [days[0], days.at(-1)];
  const query = new URLSearchParams(filters);
  if (first !== undefined) query.set('first_day', dateOf(first));
  if (last !== undefined) query.set('last_day', dateOf(last));
  return `${linkTo('calls')}?${query.toString()}`;
};
