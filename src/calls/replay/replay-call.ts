/**
 * Replays a call step by step from stored data: the transitions of its charts, with the facts of its journal at their
 * positions. The replay does not run the charts. The replay of a call that ended under an older version, without stored
 * transitions, has only facts and status.
 */
import { callStatuses } from '#src/domain/end-reasons.ts';
import type { JournalEntry } from '#src/persistence/calls/call-journal.ts';
import type { StoredTransition } from '#src/persistence/calls/call-transitions.ts';
import type { ChartState } from '../live/chart-watch.ts';

export type RecordedCall = {
  startedAt: Date;
  facts: readonly JournalEntry[];
  transitions: readonly StoredTransition[];
};

export type ReplayStep = ChartState & {
  at: Date;
  /**
   * Event that caused the transition: `(time)` for an elapsed timer, `(begin)` for the initial state. A step that is a
   * fact without a transition has the type of the fact.
   */
  event: string;
  /** Sequence number of the fact of this step; null for a transition without a fact. */
  fact: number | null;
};

/** Role whose turn begins with the event. The fact of a turn is published at the end of the turn. */
const beginsTurn: Readonly<Record<string, JournalEntry['role']>> = {
  'reply.sentence': 'assistant',
  'line.speech': 'user',
};

const eventName = (eventType: string): string => {
  if (eventType === 'xstate.init') return '(begin)';
  return eventType.startsWith('xstate.after.') ? '(time)' : eventType;
};

/**
 * Returns the state after a transition. The conversation is a child of the call's state `active`, the voicemail a child
 * of the conversation's state `voicemail`.
 */
const after = (state: ChartState, { machine, stateAfter }: StoredTransition): ChartState => {
  const moved: ChartState = { ...state, [machine]: stateAfter };
  const { call, conversation, voicemail } = moved;
  if (machine === 'call' && !call.startsWith('active')) return { call, conversation: null, voicemail: null };
  return { call, conversation, voicemail: conversation === 'voicemail' ? voicemail : null };
};

/** Returns the time at which a fact ended; a turn ends at the time of its fact. */
const toldAt = ({ at, data: { endedAt } }: JournalEntry): number =>
  typeof endedAt === 'number' ? endedAt : at.getTime();

const ringing: ChartState = { call: 'ringing', conversation: null, voicemail: null };

const endedBy = ({ data }: JournalEntry): ChartState => ({
  ...ringing,
  call: callStatuses.find((status) => status === data['status']) ?? 'failed',
});

const stepsOfFacts = ({ startedAt, facts }: RecordedCall): ReplayStep[] => {
  const steps: ReplayStep[] = [{ at: startedAt, event: '(begin)', fact: null, ...ringing }];
  let state: ChartState = ringing;
  for (const fact of facts) {
    if (fact.type === 'call.answered') state = { ...ringing, call: 'active' };
    if (fact.type === 'call.ended') state = endedBy(fact);
    steps.push({ at: fact.at, event: fact.type, fact: fact.sequence, ...state });
  }
  return steps;
};

/** Reads facts in order, each once, for any number of transitions. */
const readerOf = (facts: readonly JournalEntry[]) => {
  let next = 0;
  return {
    /** Returns unread facts up to the one with this sequence number. */
    upTo(sequence: number): readonly JournalEntry[] {
      const from = next;
      while (next < facts.length && (facts[next]?.sequence ?? 0) <= sequence) next += 1;
      return facts.slice(from, next);
    },
    /** Returns the first fact after this sequence number. */
    firstBehind(sequence: number): JournalEntry | undefined {
      while (next < facts.length && (facts[next]?.sequence ?? 0) <= sequence) next += 1;
      return facts[next];
    },
  };
};

const stepsOfTransitions = ({ facts, transitions }: RecordedCall): ReplayStep[] => {
  const steps: ReplayStep[] = [];
  let state: ChartState = ringing;
  const told = readerOf(facts);
  const turns = {
    assistant: readerOf(facts.filter(({ role }) => role === 'assistant')),
    user: readerOf(facts.filter(({ role }) => role === 'user')),
  };
  for (const transition of transitions) {
    const { at, eventType, factsBefore, machine } = transition;
    const before = state;
    // The first transition of a child chart is combined with that of its parent: both are one step.
    if (eventType === 'xstate.init' && machine !== 'call') {
      state = { ...state, [machine]: transition.stateAfter };
      continue;
    }
    state = after(state, transition);
    const news = told.upTo(factsBefore);
    const since = steps.at(-1)?.at.getTime() ?? 0;
    for (const fact of news.slice(0, -1)) {
      const moment = new Date(Math.min(at.getTime(), Math.max(since, toldAt(fact))));
      steps.push({ at: moment, event: fact.type, fact: fact.sequence, ...before });
    }
    const role = beginsTurn[eventType] ?? null;
    const turn = role === null ? undefined : turns[role].firstBehind(factsBefore);
    const fact = news.at(-1)?.sequence ?? turn?.sequence ?? null;
    steps.push({ at, event: eventName(eventType), fact, ...state });
  }
  // Facts after the last transition are added, including the end that another gateway wrote for a lost call.
  for (const fact of told.upTo(Infinity)) {
    const moment = new Date(Math.max(steps.at(-1)?.at.getTime() ?? 0, toldAt(fact)));
    if (fact.type === 'call.ended') state = endedBy(fact);
    steps.push({ at: moment, event: fact.type, fact: fact.sequence, ...state });
  }
  return steps;
};

export type ReplayCall = (call: RecordedCall) => ReplayStep[];

export const replayCall: ReplayCall = (call) => {
  const end = call.facts.findIndex(({ type }) => type === 'call.ended');
  // Facts after the end, such as recording and summary, change no state.
  const facts = end === -1 ? call.facts : call.facts.slice(0, end + 1);
  return call.transitions.length === 0
    ? stepsOfFacts({ ...call, facts })
    : stepsOfTransitions({ ...call, facts });
};
