/** Where the calls of the last minutes went, read from their stored transitions and cached for some seconds. */
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { transitionTallies, type TransitionTallies } from '#src/persistence/calls/transition-tallies.ts';

export type FleetHistory = TransitionTallies & {
  since: Date;
  until: Date;
  /** Whether all calls of the period were read. */
  isWhole: boolean;
};

export type FleetHistoryNumbers = {
  /** Maximum number of calls that are read, newest first. */
  mostCalls: number;
  /** Time for which a result is returned again. */
  keepMs: number;
};

/** Admins of a workspace who look at the same time cause one statement. */
export const createFleetHistory = ({
  database,
  numbers: { mostCalls, keepMs },
  clock,
}: {
  database: Database;
  numbers: FleetHistoryNumbers;
  clock: Pick<Clock, 'now'>;
}): ((workspaceId: string, minutes: number) => Promise<FleetHistory>) => {
  const known = new Map<string, { history: Promise<FleetHistory>; until: number }>();

  const read = async (workspaceId: string, minutes: number): Promise<FleetHistory> => {
    const until = new Date(clock.now());
    const since = new Date(until.getTime() - minutes * 60_000);
    const tallies = await transitionTallies(database, { workspaceId, since, mostCalls });
    return { ...tallies, since, until, isWhole: tallies.calls < mostCalls };
  };

  return (workspaceId, minutes) => {
    const now = clock.now();
    for (const [key, { until }] of known) if (until <= now) known.delete(key);
    const key = `${workspaceId} ${minutes}`;
    const fresh = known.get(key);
    if (fresh !== undefined) return fresh.history;
    const history = read(workspaceId, minutes);
    known.set(key, { history, until: now + keepMs });
    history.catch(() => known.delete(key));
    return history;
  };
};
