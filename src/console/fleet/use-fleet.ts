/** Subscribes to the numbers of calls by state while the page is in sight. */
import { useEffect, useState } from 'preact/hooks';
import { watchFleet } from '../api.ts';
import type { FleetCounts } from '../api/records.ts';
import { Problem, Unreachable } from '../api/request.ts';

const againMs = 2_000;

export type FleetNow = {
  /** The last received counts; null before the first ones. */
  counts: FleetCounts | null;
  /** `lost`: the counts are old, and the stream is opened again. */
  link: 'joining' | 'open' | 'lost';
};

/** Whether the page is in sight. The gateway counts only while it is. */
const useSight = (): boolean => {
  const [isSeen, setSeen] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setSeen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isSeen;
};

export const useFleet = (): FleetNow => {
  const isSeen = useSight();
  const [now, setNow] = useState<FleetNow>({ counts: null, link: 'joining' });
  useEffect(() => {
    if (!isSeen) return undefined;
    const over = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const watch = async (): Promise<void> => {
      try {
        for await (const counts of watchFleet(over.signal)) setNow({ counts, link: 'open' });
      } catch (error) {
        if (over.signal.aborted) return;
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      }
      if (over.signal.aborted) return;
      setNow(({ counts }) => ({ counts, link: 'lost' }));
      again = setTimeout(() => void watch(), againMs);
    };
    void watch();
    return () => {
      over.abort();
      clearTimeout(again);
    };
  }, [isSeen]);
  return now;
};
