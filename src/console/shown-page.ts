/** Which page is shown: it stands behind the `#` of the address, so that each has a link of its own. */
import { computed, effect, signal } from '@preact/signals';

export type Route = { parts: string[]; query: URLSearchParams };

const parsed = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
};

const hash = signal(location.hash);

addEventListener('hashchange', () => (hash.value = location.hash));

export const route = computed(() => parsed(hash.value));

/** The path without its query: a filter is no other page. */
export const page = computed(() => route.value.parts.join('/'));

export const linkTo = (...parts: string[]): string => `#/${parts.join('/')}`;

export const go = (link: string): void => {
  location.hash = link;
};

/** The same without a step in the history: what was shown before cannot be gone back to. */
export const replacePage = (link: string): void => {
  history.replaceState(null, '', link);
  hash.value = location.hash;
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
