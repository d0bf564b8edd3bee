/** What the address of the list says: what is looked for, and how far somebody has read. */
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
  'first_day',
  'last_day',
  'order',
] as const;

export type FilterName = (typeof filterNames)[number];

/** As they stand there, also where the gateway will refuse them. */
export const filtersNow = (): CallFilters =>
  Object.fromEntries(filterNames.map((name) => [name, route.value.query.get(name) ?? '']));

export const isNarrowed = (filters: CallFilters): boolean =>
  filterNames.some((name) => name !== 'order' && (filters[name] ?? '') !== '');

/** Another list begins at its beginning. */
export const setFilter = (name: FilterName, value: string): void =>
  setQueries({ [name]: value, shown: '', at: '' });

export const clearFilters = (): void =>
  setQueries({ ...Object.fromEntries(filterNames.map((name) => [name, ''])), shown: '', at: '' });

/** As many as a page of the gateway has at most, five times. */
const mostRestored = 1_000;

/** How many calls were shown, and at which of them somebody was. */
export const placeNow = (): { shown: number; at: string | null } => {
  const shown = Number(route.value.query.get('shown') ?? '');
  return {
    shown: Number.isInteger(shown) ? Math.min(Math.max(shown, 0), mostRestored) : 0,
    at: route.value.query.get('at'),
  };
};

export const rememberShown = (count: number): void => setQueries({ shown: String(count) });

export const rememberPlace = (callId: string): void => setQueries({ at: callId });
