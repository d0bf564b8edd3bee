/** Latency of the agents of a number, or of a workspace. */
import { agentKinds, type AgentKind } from '#src/domain/agent-binding.ts';
import type { LatencySummary } from '#src/domain/latency-summary.ts';
import { latencyOfWindows } from '#src/persistence/calls/latency-statistics.ts';
import type { WorkspaceReader } from './administrator.ts';
import { numberOf } from './administer-numbers.ts';

/** Number of calls of each window whose turns are read: enough for a 99th percentile. */
const mostCalls = 300;

const dayMs = 86_400_000;

/** Lengths of a window in milliseconds. */
const lengths = { day: dayMs, week: 7 * dayMs } as const;

export type LatencyPeriod = keyof typeof lengths;

export type LatencyReport = {
  from: Date;
  until: Date;
  current: LatencySummary | null;
  before: LatencySummary | null;
  agents: { agent: AgentKind; latency: LatencySummary }[];
};

/**
 * Returns the latency of the last day or week, and of the one before. Throws a Refusal (`number_not_found`) for a
 * number that is not the workspace's.
 */
export const latencyOf = async (
  reader: WorkspaceReader,
  { numberId, period, now }: { numberId: string | undefined; period: LatencyPeriod; now: number },
): Promise<LatencyReport> => {
  const { database, workspaceId } = reader;
  if (numberId !== undefined) await numberOf(reader, numberId);
  const from = new Date(now - lengths[period]);
  const until = new Date(now);
  const { agents, ...windows } = await latencyOfWindows(database, {
    workspaceId,
    numberId: numberId ?? null,
    before: new Date(now - 2 * lengths[period]),
    from,
    until,
    mostCalls,
  });
  return {
    from,
    until,
    ...windows,
    agents: agents.flatMap(({ agent, latency }) => {
      const kind = agentKinds.find((one) => one === agent);
      return kind === undefined ? [] : [{ agent: kind, latency }];
    }),
  };
};
