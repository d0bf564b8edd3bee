/** Reads the list, its further pages and new calls, and retries after lost connections. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { listCalls, type CallFilters } from '../api.ts';
import { Problem } from '../api/request.ts';
import { retryAfterMs } from '../polled.ts';
import { placeNow, rememberShown } from './place.ts';
import { shownFirst, withMore, withNewest, withWaiting, type ShownCalls } from './shown-calls.ts';

const pageSize = 50;
const largestPage = 200;
const pollMs = 2_000;
/** Polling interval during a search, which is more expensive for the database than a list. */
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
  /** Problem document if the gateway rejected the request, for example for an invalid search. */
  problem: Problem | undefined;
  more: () => Promise<void>;
  showWaiting: () => void;
};

/** Reads the list. `takesNew` returns whether new calls may be inserted at the top now. */
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
    const again = (ms: number): void => {
      timer = setTimeout(() => (document.hidden ? again(ms) : void once()), ms);
    };
    /**
     * Reads new calls, which appear at the top of the order "newest first". In other orders new calls come at the end
     * or between the others, which are not polled.
     */
    const read = async (): Promise<ShownCalls> => {
      if (latest.current === undefined) return readFirst(filters);
      const page = await listCalls({ ...filters, limit: pageSize });
      // The current list is used, because further pages may have been added during this read.
      return withNewest(latest.current ?? shownFirst(page), page, takesNew());
    };
    const once = async (): Promise<void> => {
      try {
        const next = await read();
        if (over.signal.aborted) return;
        show(next);
        if (filters.order === '') again(everyMs);
      } catch (error) {
        if (over.signal.aborted) return;
        const laterMs = retryAfterMs(error);
        if (laterMs !== null) again(Math.max(everyMs, laterMs));
        else if (error instanceof Problem) setProblem(error);
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
