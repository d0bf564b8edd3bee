/**
 * Numbers of the calls on this gateway by workspace and by the states of their charts, changed with each transition:
 * reading them costs the same for any number of calls.
 */
import type { JournalledChartName } from '#src/domain/chart-name.ts';
import type { FleetCounts } from '#src/domain/fleet-counts.ts';

export type FleetCounting = {
  /** Begins to count a call of this gateway. */
  begin(callId: string, workspaceId: string): void;
  /** Notes the state that a chart of a counted call has entered; null if the chart no longer runs. */
  note(callId: string, chart: JournalledChartName, state: string | null): void;
  /** Removes a call with all its states. */
  release(callId: string): void;
  /** Returns the counts of a workspace: the same object until they change. */
  countsOf(workspaceId: string): FleetCounts;
};

/** Numbers of a workspace. `counts` is null after a change, until the counts are read. */
type Tally = {
  calls: number;
  states: Readonly<Record<JournalledChartName, Map<string, number>>>;
  counts: FleetCounts | null;
};

type CountedCall = {
  workspaceId: string;
  tally: Tally;
  states: Record<JournalledChartName, string | null>;
};

const noCalls: FleetCounts = { calls: 0, states: { call: {}, conversation: {}, voicemail: {} } };

const createTally = (): Tally => ({
  calls: 0,
  states: { call: new Map(), conversation: new Map(), voicemail: new Map() },
  counts: null,
});

const countsIn = ({ calls, states: { call, conversation, voicemail } }: Tally): FleetCounts => ({
  calls,
  states: {
    call: Object.fromEntries(call),
    conversation: Object.fromEntries(conversation),
    voicemail: Object.fromEntries(voicemail),
  },
});

const add = (numbers: Map<string, number>, state: string | null, change: 1 | -1): void => {
  if (state === null) return;
  const number = (numbers.get(state) ?? 0) + change;
  if (number === 0) numbers.delete(state);
  else numbers.set(state, number);
};

export const createFleetCounting = (): FleetCounting => {
  const calls = new Map<string, CountedCall>();
  const tallies = new Map<string, Tally>();

  const move = (call: CountedCall, chart: JournalledChartName, state: string | null): void => {
    if (call.states[chart] === state) return;
    const numbers = call.tally.states[chart];
    add(numbers, call.states[chart], -1);
    add(numbers, state, 1);
    call.states[chart] = state;
    call.tally.counts = null;
  };

  const release = (callId: string): void => {
    const call = calls.get(callId);
    if (call === undefined) return;
    calls.delete(callId);
    move(call, 'call', null);
    move(call, 'conversation', null);
    move(call, 'voicemail', null);
    call.tally.calls -= 1;
    call.tally.counts = null;
    if (call.tally.calls === 0) tallies.delete(call.workspaceId);
  };

  return {
    begin(callId, workspaceId) {
      release(callId);
      const tally = tallies.get(workspaceId) ?? createTally();
      tallies.set(workspaceId, tally);
      tally.calls += 1;
      tally.counts = null;
      const states = { call: null, conversation: null, voicemail: null };
      calls.set(callId, { workspaceId, tally, states });
    },
    note(callId, chart, state) {
      const call = calls.get(callId);
      if (call !== undefined) move(call, chart, state);
    },
    release,
    countsOf(workspaceId) {
      const tally = tallies.get(workspaceId);
      return tally === undefined ? noCalls : (tally.counts ??= countsIn(tally));
    },
  };
};
