/** The stream of a call in progress: it says where the charts are, and that there is something new to read. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { watchCall } from '../api.ts';
import { Problem } from '../api/request.ts';
import type { CallNews } from '#src/client/client.ts';

/** After a stream that broke. */
const againMs = 2_000;

/** Several facts at once are one reading. */
const gatherMs = 150;

/** Where the charts are, and what the agent is saying. */
export type WatchedState = Extract<CallNews, { type: 'state' }>['state'];

export type Watched = {
  /** The last state that was told; `null` where none was. */
  state: WatchedState | null;
  /** `joining` until the first news. A stream that is refused, where too many watch, is no lost one: the page reads on. */
  link: 'joining' | 'open' | 'lost' | 'refused';
};

export const useWatched = (callId: string, isLive: boolean, onFact: () => void): Watched => {
  const [state, setState] = useState<WatchedState | null>(null);
  const [link, setLink] = useState<Watched['link']>('joining');
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
          setLink('open');
          if (news.type === 'state') setState(news.state);
          else noteFact();
        }
        return;
      } catch (error) {
        if (over.signal.aborted) return;
        const isRefused = error instanceof Problem;
        setLink(isRefused ? 'refused' : 'lost');
        // Nobody tells when the sentence is over.
        setState((last) => last && { ...last, saying: null });
        if (!isRefused) again = setTimeout(() => void watch(), againMs);
      }
    };
    void watch();
    return () => {
      over.abort();
      clearTimeout(gathering);
      clearTimeout(again);
    };
  }, [callId, isLive]);

  return { state, link };
};
