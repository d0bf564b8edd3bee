/** State of the list in the page's address: filters, number of loaded calls, and current call. */
import type { CallFilters } from '../api.ts';
import { route, setQueries } from '../shown-page.ts';

const filterNames = [
  'q',
  'status',
  'end_reason',
  'direction',
  'number_id',
  'trunk_id',
  'metadata',
  'state',
  'visited',
  'first_day',
  'last_day',
  'order',
] as const;

export type FilterName = (typeof filterNames)[number];

/** Returns the filters in the address, including values that the gateway will reject. */
export const filtersNow = (): CallFilters =>
  Object.fromEntries(filterNames.map((name) => [name, route.value.query.get(name) ?? '']));

export const isNarrowed = (filters: CallFilters): boolean =>
  filterNames.some((name) => name !== 'order' && (filters[name] ?? '') !== '');

/** Changes a filter and resets the place in the list. */
export const setFilter = (name: FilterName, value: string): void =>
  setQueries({ [name]: value, shown: '', at: '' });

export const clearFilters = (): void =>
  setQueries({ ...Object.fromEntries(filterNames.map((name) => [name, ''])), shown: '', at: '' });

/** Maximum number of calls that are loaded at once: five times the gateway's maximum page size. */
const mostRestored = 1_000;

/** Returns the number of calls that were shown, and the call that had the focus. */
export const placeNow = (): { shown: number; at: string | null } => {
  const shown = Number(route.value.query.get('shown') ?? '');
  return {
    shown: Number.isInteger(shown) ? Math.min(Math.max(shown, 0), mostRestored) : 0,
    at: route.value.query.get('at'),
  };
};

export const rememberShown = (count: number): void => setQueries({ shown: String(count) });

export const rememberPlace = (callId: string): void => setQueries({ at: callId });
