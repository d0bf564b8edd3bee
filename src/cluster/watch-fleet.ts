/**
 * Counts of a workspace's calls by state, at all gateways together, at most once a second and only while somebody
 * watches. The watchers of a workspace share one timer, one serialization, and one connection to each other gateway.
 */
import type { Clock } from '#src/domain/clock.ts';
import { sumOfCounts, type FleetCounts } from '#src/domain/fleet-counts.ts';

/** The counts, and how many gateways they are from. */
export type ClusterCounts = FleetCounts & { gateways: number };

/** Must not throw. `json` is the counts as JSON. */
type OnCounts<Counts> = (counts: Counts, json: string) => void;

/**
 * Calls back at once, and later whenever the counts have changed. The returned function unsubscribes; a workspace
 * without watchers has no timer and no connections.
 */
type Watch<Counts> = (workspaceId: string, onCounts: OnCounts<Counts>) => () => void;

export type WatchFleet = Watch<ClusterCounts>;

/** One connection with another gateway. */
export type FleetReader = {
  show(counts: FleetCounts): void;
  over(): void;
};

/** Returns the same object until the counts change, so that unchanged counts cost nothing. */
export type CountHere = (workspaceId: string) => FleetCounts;

/** Counts of one workspace, while it is watched. `read` returns the same object until they change. */
type Source<Counts> = { read(): Counts; stop(): void };

type Times = {
  /** Shortest interval between two counts. */
  everyMs: number;
  /** Monotonic clock. */
  clock: Clock;
};

export type FleetWatchOptions = Times & {
  /** Counts the calls of this gateway. */
  countHere: CountHere;
};

type Watched<Counts> = {
  watchers: Set<{ onCounts: OnCounts<Counts> }>;
  latest(): { counts: Counts; json: string };
  stop(): void;
};

const createSharedWatches = <Counts extends FleetCounts>({
  begin,
  everyMs,
  clock,
}: Times & { begin: (workspaceId: string) => Source<Counts> }): Watch<Counts> => {
  const all = new Map<string, Watched<Counts>>();

  const start = (workspaceId: string): Watched<Counts> => {
    const source = begin(workspaceId);
    const watchers: Watched<Counts>['watchers'] = new Set();
    let counts = source.read();
    let json = JSON.stringify(counts);
    const look = (): void => {
      timer = clock.setTimeout(look, everyMs);
      const now = source.read();
      if (now === counts) return;
      counts = now;
      const before = json;
      json = JSON.stringify(counts);
      if (json === before) return;
      for (const { onCounts } of watchers) onCounts(counts, json);
    };
    let timer = clock.setTimeout(look, everyMs);
    return {
      watchers,
      latest: () => ({ counts, json }),
      stop() {
        clock.clearTimeout(timer);
        source.stop();
      },
    };
  };

  return (workspaceId, onCounts) => {
    const watcher = { onCounts };
    const watched = all.get(workspaceId) ?? start(workspaceId);
    all.set(workspaceId, watched);
    watched.watchers.add(watcher);
    const { counts, json } = watched.latest();
    onCounts(counts, json);
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size > 0 || all.get(workspaceId) !== watched) return;
      all.delete(workspaceId);
      watched.stop();
    };
  };
};

/** Emits the counts of this gateway alone, for other gateways. */
export const createHeldFleet = ({ countHere, ...times }: FleetWatchOptions): Watch<FleetCounts> =>
  createSharedWatches({
    ...times,
    begin: (workspaceId) => ({ read: () => countHere(workspaceId), stop: () => undefined }),
  });

export const createFleetWatches = ({
  countHere,
  followOthers,
  ...times
}: FleetWatchOptions & {
  /** Follows the counts of all other gateways. `open` is called for each connection. */
  followOthers: (workspaceId: string, open: () => FleetReader) => () => void;
}): WatchFleet =>
  createSharedWatches({
    ...times,
    begin(workspaceId) {
      const others = new Map<FleetReader, FleetCounts>();
      const sumWith = (here: FleetCounts): ClusterCounts => ({
        ...sumOfCounts([here, ...others.values()]),
        gateways: others.size + 1,
      });
      let here = countHere(workspaceId);
      let sum = sumWith(here);
      let othersChanged = false;
      const stop = followOthers(workspaceId, () => {
        const other: FleetReader = {
          show(counts) {
            others.set(other, counts);
            othersChanged = true;
          },
          over() {
            if (others.delete(other)) othersChanged = true;
          },
        };
        return other;
      });
      return {
        read() {
          const now = countHere(workspaceId);
          if (now === here && !othersChanged) return sum;
          here = now;
          othersChanged = false;
          sum = sumWith(here);
          return sum;
        },
        stop,
      };
    },
  });
