/**
 * Where the calls of the last minutes went, read from their stored transitions. Watchers of the same workspace and
 * period share a result, and the gateway runs one of these statements at a time, so that the cost depends neither on the
 * number of watchers nor on how often they ask.
 */
import type { Clock } from '#src/domain/clock.ts';
import type { TransitionTallies } from '#src/persistence/calls/transition-tallies.ts';

export type FleetHistory = TransitionTallies & {
  since: Date;
  /** Time of the read. */
  until: Date;
  /** Whether all calls of the period were read. */
  isWhole: boolean;
};

export type FleetHistoryNumbers = {
  /** Maximum number of calls that are read, newest first. */
  mostCalls: number;
  /**
   * A result is returned again for at least this many times the duration of its statement, which bounds the share of
   * the database's time: 1/50 with 50.
   */
  restFactor: number;
  /** Time after which a result is forgotten. */
  forgetMs: number;
};

/**
 * Returns a result that is at most `maxAgeMs` old, or a little older if its statement took long. `until` is the time of
 * the read.
 */
export type ReadFleetHistory = (
  workspaceId: string,
  minutes: number,
  maxAgeMs: number,
) => Promise<FleetHistory>;

/** A read and its times on the monotonic clock; `tookMs` is null until it has ended. */
type Read = {
  history: Promise<FleetHistory>;
  beganAt: number;
  tookMs: number | null;
  hasFailed: boolean;
};

export const createFleetHistory = ({
  read,
  numbers: { mostCalls, restFactor, forgetMs },
  clock,
  steadyClock,
}: {
  read: (wanted: { workspaceId: string; since: Date; mostCalls: number }) => Promise<TransitionTallies>;
  numbers: FleetHistoryNumbers;
  /** Wall clock, for the period. */
  clock: Pick<Clock, 'now'>;
  /** Monotonic clock, for ages. */
  steadyClock: Pick<Clock, 'now'>;
}): ReadFleetHistory => {
  const known = new Map<string, Read>();
  /** Resolves when the last queued statement has ended. */
  let queue: Promise<unknown> = Promise.resolve();

  const readNow = async (one: Read, workspaceId: string, minutes: number): Promise<FleetHistory> => {
    one.beganAt = steadyClock.now();
    const until = new Date(clock.now());
    const since = new Date(until.getTime() - minutes * 60_000);
    try {
      const tallies = await read({ workspaceId, since, mostCalls });
      return { ...tallies, since, until, isWhole: tallies.calls < mostCalls };
    } catch (error) {
      one.hasFailed = true;
      throw error;
    } finally {
      one.tookMs = steadyClock.now() - one.beganAt;
    }
  };

  const begin = (key: string, workspaceId: string, minutes: number): Promise<FleetHistory> => {
    const before = queue;
    const one: Read = {
      beganAt: steadyClock.now(),
      tookMs: null,
      hasFailed: false,
      history: before.then(() => readNow(one, workspaceId, minutes)),
    };
    known.set(key, one);
    queue = one.history.catch(() => {});
    return one.history;
  };

  /** A statement that failed after its time limit is not repeated at once either. */
  const isUsable = ({ beganAt, tookMs, hasFailed }: Read, maxAgeMs: number): boolean =>
    tookMs === null || steadyClock.now() - beganAt < Math.max(hasFailed ? 0 : maxAgeMs, tookMs * restFactor);

  return (workspaceId, minutes, maxAgeMs) => {
    for (const [key, { beganAt, tookMs }] of known)
      if (tookMs !== null && steadyClock.now() - beganAt > forgetMs) known.delete(key);
    const key = `${workspaceId} ${minutes}`;
    const one = known.get(key);
    return one !== undefined && isUsable(one, maxAgeMs) ? one.history : begin(key, workspaceId, minutes);
  };
};
