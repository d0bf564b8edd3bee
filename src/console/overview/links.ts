/** Links from the overview's statistics to the list of the counted calls. */
import type { Overview } from '../api/records.ts';
import type { CallFilters } from '../api.ts';
import { linkTo } from '../shown-page.ts';

type Day = Overview['days'][number];

/** Returns the date of a day in the workspace's time zone, which the API's timestamps use. */
export const dateOf = (day: Day): string => day.from.slice(0, 10);

/** Returns a link to the calls of these days (at least one) that match all `filters`. */
export const callsOf = (days: readonly Day[], filters: CallFilters = {}): string => {
  const [first, last] = [days[0], days.at(-1)];
  const query = new URLSearchParams(filters);
  if (first !== undefined) query.set('first_day', dateOf(first));
  if (last !== undefined) query.set('last_day', dateOf(last));
  return `${linkTo('calls')}?${query.toString()}`;
};
