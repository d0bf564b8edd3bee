/** The stream of a call in progress: it says where the charts are, and that there is something new to read. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { watchCall } from '../api.ts';
import { Problem } from '../api/request.ts';
import type { ChartState } from '../api/records.ts';

/** After a stream that broke; the page reads on without it. */
const againMs = 2_000;

/** Several facts at once are one reading. */
const gatherMs = 150;

/** The last state that was told; `null` where none was. */
export const useWatched = (callId: string, isLive: boolean, onFact: () => void): ChartState | null => {
  const [state, setState] = useState<ChartState | null>(null);
  const latest = useRef(onFact);
  latest.current = onFact;

  useEffect(() => {
    if (!isLive) return undefined;
    const over = new AbortController();
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const noteFact = (): void => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        latest.current();
      }, gatherMs);
    };
    const watch = async (): Promise<void> => {
      try {
        for await (const news of watchCall(callId, over.signal)) {
          if (news.type === 'state') setState(news.state);
          else noteFact();
        }
        return;
      } catch (error) {
        // Refused: too many watch, for one. Anything else is a stream that broke.
        if (error instanceof Problem) return;
      }
      if (!over.signal.aborted) again = setTimeout(() => void watch(), againMs);
    };
    void watch();
    return () => {
      over.abort();
      clearTimeout(gathering);
      clearTimeout(again);
    };
  }, [callId, isLive]);

  return state;
};
