/**
 * Counts of a workspace's calls by state, at all gateways together, once a second and only while somebody watches. The
 * watchers of a workspace share one count, and one connection to each other gateway.
 */
import type { Clock } from '#src/domain/clock.ts';
import { sumOfCounts, type FleetCounts } from '#src/domain/fleet-counts.ts';

/** The counts, and how many gateways they are from. */
export type ClusterCounts = FleetCounts & { gateways: number };

/** Must not throw. */
type OnCounts = (counts: ClusterCounts) => void;

/**
 * Calls back at once, and later whenever the counts have changed. The returned function unsubscribes; a workspace
 * without watchers is not counted.
 */
export type WatchFleet = (workspaceId: string, onCounts: OnCounts) => () => void;

/** One connection with another gateway. */
export type FleetReader = {
  show(counts: FleetCounts): void;
  over(): void;
};

export type CountHere = (workspaceId: string) => FleetCounts;

/** Repeats a task at once and at an interval. The returned function stops it. */
const repeatNow = (task: () => void, everyMs: number, clock: Clock): (() => void) => {
  let timer: unknown;
  const run = (): void => {
    timer = clock.setTimeout(run, everyMs);
    task();
  };
  run();
  return () => clock.clearTimeout(timer);
};

export type FleetWatchOptions = {
  /** Counts the calls of this gateway. */
  countHere: CountHere;
  everyMs: number;
  /** Monotonic clock. */
  clock: Clock;
};

/** Emits the counts of this gateway alone, at once and whenever they have changed. The returned function stops it. */
export const createHeldFleet =
  ({ countHere, everyMs, clock }: FleetWatchOptions) =>
  (workspaceId: string, tell: (counts: FleetCounts) => void): (() => void) => {
    let last = '';
    return repeatNow(
      () => {
        const counts = countHere(workspaceId);
        const now = JSON.stringify(counts);
        if (now === last) return;
        last = now;
        tell(counts);
      },
      everyMs,
      clock,
    );
  };

type Watched = { watchers: Set<{ onCounts: OnCounts }>; last: ClusterCounts; stop: () => void };

export const createFleetWatches = ({
  countHere,
  followOthers,
  everyMs,
  clock,
}: FleetWatchOptions & {
  /** Follows the counts of all other gateways. `open` is called for each connection. */
  followOthers: (workspaceId: string, open: () => FleetReader) => () => void;
}): WatchFleet => {
  const all = new Map<string, Watched>();

  const begin = (workspaceId: string): Watched => {
    const others = new Set<{ counts: FleetCounts }>();
    const count = (): ClusterCounts => ({
      ...sumOfCounts([countHere(workspaceId), ...Array.from(others, ({ counts }) => counts)]),
      gateways: others.size + 1,
    });
    const watched: Watched = { watchers: new Set(), last: count(), stop: () => undefined };
    const stopFollowing = followOthers(workspaceId, () => {
      const other = { counts: sumOfCounts([]) };
      return {
        show(counts) {
          other.counts = counts;
          others.add(other);
        },
        over: () => void others.delete(other),
      };
    });
    const stopCounting = repeatNow(
      () => {
        const counts = count();
        if (JSON.stringify(counts) === JSON.stringify(watched.last)) return;
        watched.last = counts;
        for (const { onCounts } of watched.watchers) onCounts(counts);
      },
      everyMs,
      clock,
    );
    watched.stop = () => {
      stopCounting();
      stopFollowing();
    };
    all.set(workspaceId, watched);
    return watched;
  };

  return (workspaceId, onCounts) => {
    const watcher = { onCounts };
    const watched = all.get(workspaceId) ?? begin(workspaceId);
    watched.watchers.add(watcher);
    onCounts(watched.last);
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size > 0 || all.get(workspaceId) !== watched) return;
      all.delete(workspaceId);
      watched.stop();
    };
  };
};
