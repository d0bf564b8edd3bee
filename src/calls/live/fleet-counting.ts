/** Counts the calls in progress on this gateway by the states of their charts, in memory. */
import type { FleetCounts } from '#src/domain/fleet-counts.ts';
import { stateName } from './chart-watch.ts';
import type { LiveCalls } from './live-calls.ts';
import type { Switchboard } from './switchboard.ts';

const count = (counts: Record<string, number>, value: unknown): void => {
  const state = stateName(value);
  counts[state] = (counts[state] ?? 0) + 1;
};

/** Returns the counts of a workspace. Costs about a microsecond for each call, and no call notices it. */
export const createFleetCounting =
  ({
    switchboard: { find },
    liveCalls: { all },
  }: {
    switchboard: Pick<Switchboard, 'find'>;
    liveCalls: Pick<LiveCalls, 'all'>;
  }) =>
  (workspaceId: string): FleetCounts => {
    const states = { call: {}, conversation: {}, voicemail: {} };
    let calls = 0;
    for (const { callId, workspaceId: owner } of all()) {
      const actor = owner === workspaceId ? find(callId) : undefined;
      if (actor === undefined) continue;
      const { value, children } = actor.getSnapshot();
      const conversation = children.conversation?.getSnapshot();
      const voicemail = conversation?.children.voicemail;
      calls += 1;
      count(states.call, value);
      if (conversation !== undefined) count(states.conversation, conversation.value);
      if (voicemail !== undefined) count(states.voicemail, voicemail.getSnapshot().value);
    }
    return { calls, states };
  };
