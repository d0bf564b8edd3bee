/**
 * Subscribes to the events of a call in progress: the states of the charts, and notices that there is new data to read.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { watchCall } from '../api.ts';
import { Problem } from '../api/request.ts';
import type { CallNews } from '#src/client/client.ts';

/** Delay before reconnecting after the stream broke, in milliseconds. */
const againMs = 2_000;

/** Time in milliseconds in which journal entries are collected into one read. */
const gatherMs = 150;

/** States of the charts, and the words that the agent is saying. */
export type WatchedState = Extract<CallNews, { type: 'state' }>['state'];

export type Watched = {
  /** The last received state; `null` before the first one. */
  state: WatchedState | null;
  /**
   * State of the stream: `joining` until the first message. A refused stream (too many watchers) is not `lost`, and the
   * page keeps polling.
   */
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
        // The current sentence is removed, because a broken stream would not report its end.
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
