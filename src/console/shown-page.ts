/** Which page is shown: it stands behind the `#` of the address, so that each has a link of its own. */
import { computed, effect, signal } from '@preact/signals';
import { forgetUnsaved, hasUnsaved } from './unsaved.ts';

export type ShownPage = { parts: string[]; query: URLSearchParams };

const parsed = (hash: string): ShownPage => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
};

const pathIn = (hash: string): string => parsed(hash).parts.join('/');

const hash = signal(location.hash);

/** Each entry of the history knows its place in it, by which it can be gone back to. */
const placeIn = (state: unknown): number | undefined =>
  state instanceof Object && 'place' in state && typeof state.place === 'number' ? state.place : undefined;

let place = placeIn(history.state) ?? 0;

const keepPlace = (link = location.hash): void => history.replaceState({ place }, '', link || '#');

keepPlace();

/** Where somebody wants to go who has not saved yet: a new page, or so many steps through the history. */
type Leaving = { link: string } | { steps: number };

const asked = signal<Leaving | null>(null);

/** Whether somebody has to say first that they leave what they typed. */
export const isAskedToLeave = computed(() => asked.value !== null);

/** A new page has no place yet. */
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

// It comes with every change of the address, by a link as well as through the history.
addEventListener('popstate', arrive);

export const route = computed(() => parsed(hash.value));

/** The path without its query: a filter is no other page. */
export const page = computed(() => pathIn(hash.value));

export const linkTo = (...parts: string[]): string => `#/${parts.join('/')}`;

export const go = (link: string): void => {
  location.hash = link;
};

/** The same without a step in the history: what was shown before cannot be gone back to. */
export const replacePage = (link: string): void => {
  keepPlace(link);
  hash.value = location.hash;
};

export const stay = (): void => {
  asked.value = null;
};

/** What was typed is lost. */
export const leave = (): void => {
  const to = asked.value;
  if (to === null) return;
  asked.value = null;
  forgetUnsaved();
  if ('link' in to) go(to.link);
  else history.go(to.steps);
};

/** Changes the query of the page without a step in the history; what is empty is left out. */
export const setQueries = (values: Readonly<Record<string, string>>): void => {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  replacePage(`#/${page.value}${text === '' ? '' : `?${text}`}`);
};

/** The list of calls as it was last looked at: with its filters, and at the same place. */
export const linkToCalls = (): string => lastCalls;

let lastCalls = linkTo('calls');
effect(() => {
  if (page.value === 'calls') lastCalls = hash.value;
});
