/** Calls in progress of a workspace, counted by the states of their charts. */
import { journalledChartNames, type JournalledChartName } from './chart-name.ts';

/** Number of calls by the name of the innermost state, such as `active.talking.conversing`. */
export type StateCounts = Readonly<Record<string, number>>;

export type FleetCounts = {
  /** Number of calls. */
  calls: number;
  /** Numbers by chart. A call without a conversation is counted in the chart `call` alone. */
  states: Readonly<Record<JournalledChartName, StateCounts>>;
};

/** The counts of several gateways together. */
export const sumOfCounts = (all: readonly FleetCounts[]): FleetCounts => {
  const sumOf = (chart: JournalledChartName): StateCounts => {
    const sums: Record<string, number> = {};
    for (const { states } of all)
      for (const [state, calls] of Object.entries(states[chart])) sums[state] = (sums[state] ?? 0) + calls;
    return sums;
  };
  const [call, conversation, voicemail] = journalledChartNames;
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    states: { call: sumOf(call), conversation: sumOf(conversation), voicemail: sumOf(voicemail) },
  };
};
