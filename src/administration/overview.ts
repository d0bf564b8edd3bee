/** Overview of a workspace's calls: by day, by end reason, and failures. */
import { dayOf, type Day } from '#src/domain/day.ts';
import type { EndReason } from '#src/domain/end-reasons.ts';
import { callTallies, type CallTally } from '#src/persistence/calls/call-tallies.ts';
import { failingWebhooks, type FailingWebhook } from '#src/persistence/events/failing-webhooks.ts';
import { waitingTimes, type WaitingTimes } from '#src/persistence/calls/turn-latencies.ts';
import type { WorkspaceReader } from './administrator.ts';
import { workspaceOf } from './administer-workspaces.ts';

/** Maximum number of turns per day whose latencies are read: enough for a 95th percentile. */
const measuredCalls = 300;

/** `calls` excludes ringing calls. */
export type DayStatistics = Day & { calls: number; answered: number };

export type Failing = { calls: number; failed: number };

export type Overview = {
  days: DayStatistics[];
  endReasons: { endReason: EndReason; calls: number }[];
  latency: { today: WaitingTimes; yesterday: WaitingTimes };
  agents: (Failing & {
    numberId: string;
    number: string;
    direction: 'inbound' | 'outbound';
    endReason: EndReason;
  })[];
  trunks: (Failing & { trunkId: string; name: string })[];
  webhooks: FailingWebhook[];
};

/** Returns the last `count` days, ending with today. */
const lastDays = (now: number, count: number, timeZone: string): Day[] => {
  const days = [dayOf(now, timeZone)];
  for (let [first] = days; first !== undefined && days.length < count; [first] = days)
    days.unshift(dayOf(first.from.getTime() - 1, timeZone));
  return days;
};

const sumOf = (tallies: readonly CallTally[]): number => tallies.reduce((sum, { calls }) => sum + calls, 0);

const grouped = (
  tallies: readonly CallTally[],
  keyOf: (tally: CallTally) => string,
): [CallTally, ...CallTally[]][] => {
  const groups = new Map<string, [CallTally, ...CallTally[]]>();
  for (const tally of tallies) {
    const group = groups.get(keyOf(tally));
    if (group === undefined) groups.set(keyOf(tally), [tally]);
    else group.push(tally);
  }
  return [...groups.values()];
};

const endReasonsOf = (tallies: readonly CallTally[]): Overview['endReasons'] => {
  const counts = new Map<EndReason, number>();
  for (const { endReason, calls } of tallies)
    if (endReason !== null) counts.set(endReason, (counts.get(endReason) ?? 0) + calls);
  return [...counts]
    .map(([endReason, calls]) => ({ endReason, calls }))
    .toSorted((one, other) => other.calls - one.calls || (one.endReason < other.endReason ? -1 : 1));
};

/** Equal counts are sorted by `nameOf`, so the order is stable. */
const mostFailedFirst = <One extends Failing>(failing: readonly One[], nameOf: (one: One) => string): One[] =>
  failing
    .filter(({ failed }) => failed > 0)
    .toSorted((one, other) => other.failed - one.failed || (nameOf(one) < nameOf(other) ? -1 : 1));

/** Failures are counted for each reason separately, because the list of calls filters by one reason. */
const failingAgents = (tallies: readonly CallTally[]): Overview['agents'] =>
  mostFailedFirst(
    grouped(tallies, ({ numberId, direction }) => `${numberId} ${direction}`).flatMap((group) =>
      (['agent_error', 'no_agent_endpoint'] as const).map((endReason) => ({
        numberId: group[0].numberId,
        number: group[0].number,
        direction: group[0].direction,
        endReason,
        calls: sumOf(group),
        failed: sumOf(group.filter((one) => one.endReason === endReason)),
      })),
    ),
    ({ number, direction, endReason }) => `${number} ${direction} ${endReason}`,
  );

const failingTrunks = (tallies: readonly CallTally[]): Overview['trunks'] =>
  mostFailedFirst(
    grouped(
      tallies.filter(({ trunkId }) => trunkId !== null),
      ({ trunkId }) => trunkId ?? '',
    ).map((group) => ({
      trunkId: group[0].trunkId ?? '',
      name: group[0].trunkName ?? '',
      calls: sumOf(group),
      failed: sumOf(group.filter(({ endReason }) => endReason === 'trunk_error')),
    })),
    ({ name }) => name,
  );

/** Returns statistics of the last `count` days in the workspace's time zone, including today. */
export const overviewOf = async (reader: WorkspaceReader, now: number, count: number): Promise<Overview> => {
  const { database, workspaceId } = reader;
  const { timeZone } = await workspaceOf(reader);
  const [today, yesterday] = lastDays(now, 2, timeZone).toReversed();
  if (today === undefined || yesterday === undefined) throw new Error('A day has one before it.');
  const days = lastDays(now, count, timeZone);
  const measured = (day: Day) => waitingTimes(database, { ...day, workspaceId, mostCalls: measuredCalls });
  const [all, ofToday, ofYesterday, webhooks] = await Promise.all([
    callTallies(database, { workspaceId, days }),
    measured(today),
    measured(yesterday),
    failingWebhooks(database, workspaceId),
  ]);
  const tallies = all.filter(({ isRinging }) => !isRinging);
  return {
    days: days.map((day, place) => {
      const those = tallies.filter((tally) => tally.day === place);
      return { ...day, calls: sumOf(those), answered: sumOf(those.filter(({ isAnswered }) => isAnswered)) };
    }),
    endReasons: endReasonsOf(tallies),
    latency: { today: ofToday, yesterday: ofYesterday },
    agents: failingAgents(tallies),
    trunks: failingTrunks(tallies),
    webhooks,
  };
};
