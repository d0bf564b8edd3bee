/**
 * What happened on the line of a finished call, told from its journal: the events that its charts were moved by. The
 * journal keeps what was heard and said, not each event, so that sentences of one turn are one, and a voice is taken
 * for speech from its first word on.
 */
import type { CallRequest } from '#machines/call-context.ts';
import type { LineEvent } from '#machines/line.ts';
import type { CallEvent } from '#src/persistence/call-events.ts';

/** `fact` is the sequence of the fact that tells of it; `at` is wall-clock milliseconds since the epoch. */
export type Cue = { at: number; fact: number } & (
  | { kind: 'event'; event: LineEvent | CallRequest }
  /** The agent is heard from now on. */
  | { kind: 'agent begins'; text: string }
  | { kind: 'agent ends'; text: string; whole: boolean; startedAt: number }
  | { kind: 'reply fails'; begun: boolean }
  | { kind: 'over' }
);

type Turn = { fact: CallEvent; from: number; to: number; text: string; whole: boolean };

const turnOf = (fact: CallEvent): Turn => {
  const { endedAt } = fact.data;
  const from = fact.at.getTime();
  return {
    fact,
    from,
    to: typeof endedAt === 'number' ? Math.max(from, endedAt) : from,
    text: fact.text ?? '',
    whole: fact.whole ?? true,
  };
};

const cuesOfAgent = ({ fact, from, to, text, whole }: Turn): Cue[] => [
  { at: from, fact: fact.sequence, kind: 'agent begins', text },
  { at: to, fact: fact.sequence, kind: 'agent ends', text, whole, startedAt: from },
];

/** Words within a whole turn of the agent were a murmur; words that go on behind it were taken for speech after it. */
const cuesOfOther = ({ fact, from, to, text }: Turn, agent: readonly Turn[]): Cue[] => {
  const over = agent.find((turn) => turn.whole && turn.from < from && from < turn.to);
  const backchannel = over !== undefined && to <= over.to;
  const heard: Cue = {
    at: to,
    fact: fact.sequence,
    kind: 'event',
    event: { type: 'line.heard', at: to, startedAt: from, text, backchannel },
  };
  if (backchannel) return [heard];
  const at = over?.to ?? from;
  return [{ at, fact: fact.sequence, kind: 'event', event: { type: 'line.speech', at } }, heard];
};

const cuesOfFact = (fact: CallEvent): Cue[] => {
  const at = fact.at.getTime();
  const { sequence, data } = fact;
  const event = (happened: LineEvent | CallRequest): Cue[] => [
    { at, fact: sequence, kind: 'event', event: happened },
  ];
  switch (fact.type) {
    case 'call.answered':
      return event({ type: 'line.answered', at });
    case 'call.answered_by':
      return event({ type: 'line.answered_by', at, by: data['by'] === 'machine' ? 'machine' : 'human' });
    case 'call.hangup_requested':
      return event({ type: 'hangup.requested', immediate: data['immediate'] === true });
    case 'call.hangup_cancelled':
      return event({ type: 'line.speech', at });
    case 'call.held':
      return event({ type: 'line.held', at });
    case 'call.resumed':
      return event({ type: 'line.resumed', at });
    case 'turn.digit':
      return event({ type: 'line.digit', at, digit: String(data['digit']) });
    case 'keys.pressed':
      return event({ type: 'keys.requested', keys: String(data['keys']) });
    case 'recording.paused':
      return event({ type: 'recording.pause_requested' });
    case 'recording.resumed':
      return event({ type: 'recording.resume_requested' });
    case 'reply.failed':
      return [{ at, fact: sequence, kind: 'reply fails', begun: data['begun'] === true }];
    case 'call.ended':
      return [{ at, fact: sequence, kind: 'over' }];
    default:
      // What follows the end (recording, summary) moves no chart.
      return [];
  }
};

/** In the order of time. */
export const cuesOf = (facts: readonly CallEvent[]): Cue[] => {
  const turns = facts.filter(({ type }) => type === 'turn.spoken');
  const agent = turns.filter(({ role }) => role === 'assistant').map(turnOf);
  const other = turns.filter(({ role }) => role === 'user').map(turnOf);
  return [
    ...facts.flatMap(cuesOfFact),
    ...agent.flatMap(cuesOfAgent),
    ...other.flatMap((turn) => cuesOfOther(turn, agent)),
  ].sort((one, another) => one.at - another.at || one.fact - another.fact);
};
