/** Reads the list, its further pages and new calls, and retries after lost connections. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { listCalls, type CallFilters } from '../api.ts';
import { Problem, Unreachable } from '../api/request.ts';
import { placeNow, rememberShown } from './place.ts';
import type { CallListItem, CallListPage } from '../api/records.ts';

type ShownCalls = {
  calls: readonly CallListItem[];
  /** Cursor of the next page; null at the end. */
  cursor: string | null;
  /** New calls that are not shown until the reader asks for them. */
  waiting: readonly CallListItem[];
  /** Whether there are calls missing between the waiting and the shown ones, because too many arrived. */
  hasGap: boolean;
};

/** The calls in a list, in order, and how newer calls are merged into it. The list never moves under a reader. */
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
 * Merges the current first page, newest first: calls within the page are replaced, later ones are kept. `takesNew`
 * shows new calls immediately; otherwise they wait.
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

/** Undefined if a gap requires the list to be read again. */
export const withWaiting = (shown: ShownCalls): ShownCalls | undefined =>
  shown.hasGap ? undefined : { ...shown, calls: [...shown.waiting, ...shown.calls], waiting: [] };

const pageSize = 50;
const largestPage = 200;
const pollMs = 2_000;
/** Longer interval, because a search is more expensive for the database than a list. */
const searchPollMs = 10_000;

const readFirst = async (filters: CallFilters): Promise<ShownCalls> => {
  const { shown: wanted } = placeNow();
  const limit = Math.min(Math.max(wanted, pageSize), largestPage);
  let shown = shownFirst(await listCalls({ ...filters, limit }));
  while (shown.calls.length < wanted && shown.cursor !== null)
    shown = withMore(shown, await listCalls({ ...filters, limit: largestPage, cursor: shown.cursor }));
  return shown;
};

export type CallList = {
  /** Undefined until the first page has loaded. */
  shown: ShownCalls | undefined;
  /** The gateway rejected the request, for example an invalid search. */
  problem: Problem | undefined;
  more: () => Promise<void>;
  showWaiting: () => void;
};

/** `takesNew` returns whether new calls may be inserted at the top now. */
export const useCallList = (filters: CallFilters, takesNew: () => boolean): CallList => {
  const [shown, setShown] = useState<ShownCalls>();
  const [problem, setProblem] = useState<Problem>();
  const latest = useRef<ShownCalls | undefined>(undefined);
  const [round, setRound] = useState(0);
  const show = (next: ShownCalls | undefined): void => {
    latest.current = next;
    setShown(next);
  };

  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const everyMs = filters.q === '' ? pollMs : searchPollMs;
    const again = (): void => {
      timer = setTimeout(() => (document.hidden ? again() : void once()), everyMs);
    };
    /**
     * New calls appear at the top of "newest first". Other orders append them at the end, where they are not looked
     * for.
     */
    const read = async (): Promise<ShownCalls> => {
      if (latest.current === undefined) return readFirst(filters);
      const page = await listCalls({ ...filters, limit: pageSize });
      // Uses the latest list: pages may have been added during this read.
      return withNewest(latest.current ?? shownFirst(page), page, takesNew());
    };
    const once = async (): Promise<void> => {
      try {
        const next = await read();
        if (over.signal.aborted) return;
        show(next);
        if (filters.order !== 'oldest') again();
      } catch (error) {
        if (over.signal.aborted) return;
        if (error instanceof Problem) setProblem(error);
        else if (error instanceof Unreachable) again();
        else throw error;
      }
    };
    void once();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [round]);

  return {
    shown,
    problem,
    async more() {
      if (latest.current === undefined || latest.current.cursor === null) return;
      const next = await listCalls({ ...filters, limit: pageSize, cursor: latest.current.cursor });
      const all = withMore(latest.current, next);
      show(all);
      rememberShown(all.calls.length);
    },
    showWaiting() {
      const all = latest.current && withWaiting(latest.current);
      show(all);
      if (all === undefined) setRound((before) => before + 1);
    },
  };
};
