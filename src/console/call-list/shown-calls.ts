/**
 * The calls in a list, in order, and the functions that merge newer calls into it. The visible part of the list never
 * moves while the user reads it.
 */
import type { CallListItem, CallListPage } from '../api/records.ts';

export type ShownCalls = {
  calls: readonly CallListItem[];
  /** Cursor of the next page; null at the end. */
  cursor: string | null;
  /** New calls that are not shown until the user asks for them. */
  waiting: readonly CallListItem[];
  /** Whether calls are missing between the waiting and the shown ones, because too many calls arrived. */
  hasGap: boolean;
};

export const shownFirst = ({ calls, next_cursor: cursor }: CallListPage): ShownCalls => ({
  calls,
  cursor,
  waiting: [],
  hasGap: false,
});

/** Appends the following page. */
export const withMore = (shown: ShownCalls, { calls, next_cursor: cursor }: CallListPage): ShownCalls => {
  const known = new Set(shown.calls.map(({ id }) => id));
  return { ...shown, calls: [...shown.calls, ...calls.filter(({ id }) => !known.has(id))], cursor };
};

const isOlder = (one: CallListItem, other: CallListItem): boolean => {
  const between = Date.parse(one.started_at) - Date.parse(other.started_at);
  return between < 0 || (between === 0 && one.id < other.id);
};

/**
 * Merges the current first page, newest first. Calls within the page are replaced, later ones remain. With `takesNew`,
 * new calls are shown immediately; otherwise they wait.
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

/** Shows the waiting calls. Returns undefined if a gap requires the list to be read again. */
export const withWaiting = (shown: ShownCalls): ShownCalls | undefined =>
  shown.hasGap ? undefined : { ...shown, calls: [...shown.waiting, ...shown.calls], waiting: [] };
