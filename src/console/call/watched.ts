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
   * Time at which the stream broke, in milliseconds since the epoch; `null` while it reports states. The page keeps
   * polling the call meanwhile.
   */
  brokeAt: number | null;
};

export const useWatched = (callId: string, isLive: boolean, onFact: () => void): Watched => {
  const [watched, setWatched] = useState<Watched>({ state: null, brokeAt: null });
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
          if (news.type === 'state') setWatched({ state: news.state, brokeAt: null });
          else noteFact();
        }
        return;
      } catch (error) {
        if (over.signal.aborted) return;
        setWatched(({ state, brokeAt }) => ({ state, brokeAt: brokeAt ?? Date.now() }));
        // A stream is refused if the call has too many watchers.
        if (!(error instanceof Problem)) again = setTimeout(() => void watch(), againMs);
      }
    };
    void watch();
    return () => {
      over.abort();
      clearTimeout(gathering);
      clearTimeout(again);
    };
  }, [callId, isLive]);

  return watched;
};
