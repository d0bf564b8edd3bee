/** The current page, stored after the `#` of the address, so that each page has a link of its own. */
import { computed, effect, signal } from '@preact/signals';
import { forgetUnsaved, hasUnsaved } from './unsaved.ts';

export type ShownPage = { parts: string[]; query: URLSearchParams };

const parsed = (hash: string): ShownPage => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
};

const pathIn = (hash: string): string => parsed(hash).parts.join('/');

const hash = signal(location.hash);

/** Returns the index that each history entry stores, so that navigation can be undone. */
const placeIn = (state: unknown): number | undefined =>
  state instanceof Object && 'place' in state && typeof state.place === 'number' ? state.place : undefined;

let place = placeIn(history.state) ?? 0;

const keepPlace = (link = location.hash): void => history.replaceState({ place }, '', link || '#');

keepPlace();

/** Navigation that waits for confirmation because of unsaved changes: a link, or a number of history steps. */
type Leaving = { link: string } | { steps: number };

const asked = signal<Leaving | null>(null);

/** Whether the user must confirm leaving unsaved input. */
export const isAskedToLeave = computed(() => asked.value !== null);

/** Handles a navigation. A new page has no index in its history entry yet. */
const arrive = (): void => {
  const there = placeIn(history.state);
  const steps = there === undefined ? 1 : there - place;
  if (location.hash === hash.value) {
    place = there ?? place;
  } else if (hasUnsaved() && pathIn(location.hash) !== page.value) {
    asked.value = there === undefined ? { link: location.hash } : { steps };
    history.go(-steps);
    return;
  } else {
    place += steps;
    hash.value = location.hash;
  }
  keepPlace();
};

// Browsers emit `popstate` on every change of the address, by links as well as by history navigation.
addEventListener('popstate', arrive);

export const route = computed(() => parsed(hash.value));

/** Path of the page without the query, because changing a filter does not change the page. */
export const page = computed(() => pathIn(hash.value));

export const linkTo = (...parts: string[]): string => `#/${parts.join('/')}`;

export const go = (link: string): void => {
  location.hash = link;
};

/** Replaces the current history entry, so that going back skips the old page. */
export const replacePage = (link: string): void => {
  keepPlace(link);
  hash.value = location.hash;
};

export const stay = (): void => {
  asked.value = null;
};

/** Leaves the page and discards its input. */
export const leave = (): void => {
  const to = asked.value;
  if (to === null) return;
  asked.value = null;
  forgetUnsaved();
  if ('link' in to) go(to.link);
  else history.go(to.steps);
};

/** Changes the query of the page without a new history entry. Empty values are removed. */
export const setQueries = (values: Readonly<Record<string, string>>): void => {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  replacePage(`#/${page.value}${text === '' ? '' : `?${text}`}`);
};

/** Returns the link to the list of calls as last viewed, with filters and place. */
export const linkToCalls = (): string => lastCalls;

let lastCalls = linkTo('calls');
effect(() => {
  if (page.value === 'calls') lastCalls = hash.value;
});
