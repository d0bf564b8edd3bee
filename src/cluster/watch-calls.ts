/**
 * Chart states of calls at any gateway for all watchers. Watchers of one call share one subscription, and therefore one
 * connection to the call's owner. Facts are read from the database by the watchers themselves.
 */
import { lineChartNames } from '#src/domain/chart-name.ts';
import type { ToldState } from './call-news.ts';
import type { CallFollowing } from './follow-calls.ts';

/** Callbacks of a watcher, which must not throw. */
export type OnCallNews = {
  /** Called with the chart states at each change. */
  onState: (state: ToldState) => void;
  /** Called when the journal has new facts of the call. */
  onFact: () => void;
};

/** Watches a call until it is over, across hand-overs. The returned function unsubscribes. */
export type WatchCall = (callId: string, onNews: OnCallNews) => () => void;

type Watched = { watchers: Set<OnCallNews>; state: ToldState | undefined; end: () => void };

const isSame = (one: ToldState | undefined, other: ToldState): boolean =>
  one?.call === other.call &&
  one.conversation === other.conversation &&
  one.voicemail === other.voicemail &&
  one.saying === other.saying &&
  one.hearing === other.hearing &&
  lineChartNames.every((name) => one[name] === other[name]);

export const createCallWatches = ({ follow }: Pick<CallFollowing, 'follow'>): WatchCall => {
  const all = new Map<string, Watched>();

  const begin = (callId: string, first: OnCallNews): Watched => {
    const stopping = new AbortController();
    const watched: Watched = {
      watchers: new Set([first]),
      state: undefined,
      end() {
        stopping.abort();
        if (all.get(callId) === watched) all.delete(callId);
      },
    };
    all.set(callId, watched);
    void follow({
      callId,
      kind: 'progress',
      stopped: stopping.signal,
      onNews(told) {
        if (told.news === 'fact') for (const { onFact } of watched.watchers) onFact();
        // An unchanged state is emitted once, even if several gateways report it.
        if (told.news !== 'state' || isSame(watched.state, told.state)) return;
        watched.state = told.state;
        for (const { onState } of watched.watchers) onState(told.state);
      },
    }).then(watched.end);
    return watched;
  };

  return (callId, onNews) => {
    // A new object for each watcher, so that the same callbacks can be registered twice.
    const watcher = { ...onNews };
    const known = all.get(callId);
    if (known?.state !== undefined) watcher.onState(known.state);
    known?.watchers.add(watcher);
    const watched = known ?? begin(callId, watcher);
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size === 0) watched.end();
    };
  };
};
