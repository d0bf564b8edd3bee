/** Which calls a list shows, in order, and what becomes of them when newer ones are there. No list jumps under a reader. */
import type { CallListItem, CallListPage } from '../api/records.ts';

export type ShownCalls = {
  calls: readonly CallListItem[];
  /** For those that come after them; null where there are none. */
  cursor: string | null;
  /** Calls that have come since, and that nobody has asked to see yet. */
  waiting: readonly CallListItem[];
  /** So many have come that there are more between those that wait and those that are shown. */
  hasGap: boolean;
};

export const shownFirst = ({ calls, next_cursor: cursor }: CallListPage): ShownCalls => ({
  calls,
  cursor,
  waiting: [],
  hasGap: false,
});

/** With the page that follows. */
export const withMore = (shown: ShownCalls, { calls, next_cursor: cursor }: CallListPage): ShownCalls => {
  const known = new Set(shown.calls.map(({ id }) => id));
  return { ...shown, calls: [...shown.calls, ...calls.filter(({ id }) => !known.has(id))], cursor };
};

const isOlder = (one: CallListItem, other: CallListItem): boolean => {
  const between = Date.parse(one.started_at) - Date.parse(other.started_at);
  return between < 0 || (between === 0 && one.id < other.id);
};

/**
 * With the first page, newest first, as it is now: what it reaches is as it says, what is behind it stays. `takesNew` says
 * whether calls that have come since are shown at once; they wait otherwise.
 */
export const withNewest = (shown: ShownCalls, page: CallListPage, takesNew: boolean): ShownCalls => {
  const known = new Set(shown.calls.map(({ id }) => id));
  const last = page.next_cursor === null ? undefined : page.calls.at(-1);
  const behind = last === undefined ? [] : shown.calls.filter((call) => isOlder(call, last));
  const unknown = page.calls.filter(({ id }) => !known.has(id));
  const hasGap = last !== undefined && known.size > 0 && unknown.length === page.calls.length;
  if (takesNew || known.size === 0)
    return hasGap || behind.length === 0
      ? shownFirst(page)
      : { ...shown, calls: [...page.calls, ...behind], waiting: [], hasGap: false };
  const stay = page.calls.filter(({ id }) => known.has(id));
  return { ...shown, calls: [...stay, ...behind], waiting: unknown, hasGap };
};

/** Undefined where a gap makes it necessary to read the list anew. */
export const withWaiting = (shown: ShownCalls): ShownCalls | undefined =>
  shown.hasGap ? undefined : { ...shown, calls: [...shown.waiting, ...shown.calls], waiting: [] };
