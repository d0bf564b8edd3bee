/** What a call publishes, as the actions that its arrows name. What its conversation publishes stands beside that. */
import { outputOf, type CallCommand, type CallContext } from './call-context.ts';
import type { CallFact } from './facts.ts';
import type { LineEvent, LineEventOf } from './line.ts';

type On<Type extends LineEvent['type']> = { event: LineEventOf<Type> };

type Asked<Type extends CallCommand['type']> = { event: Extract<CallCommand, { type: Type }> };

const answered = ({ at, sip, route }: LineEventOf<'line.answered'>): CallFact => ({
  type: 'call.answered',
  at,
  ...(sip === undefined ? {} : { sip }),
  ...(route === undefined ? {} : { route }),
});

const ended = (context: CallContext): CallFact => {
  const { reason, status, endedAt, sip, route, sound } = outputOf(context);
  return {
    type: 'call.ended',
    reason,
    status,
    ...(endedAt === null ? {} : { at: endedAt }),
    ...(sip === null ? {} : { sip }),
    ...(route === null ? {} : { route }),
    ...(sound === null ? {} : { sound }),
    ...(context.endWasSeen ? {} : { durationIsKnown: false }),
  };
};

const fact = (given: CallFact): CallFact => given;

export const publishes = {
  answered: { type: 'publish', params: ({ event }: On<'line.answered'>) => answered(event) },
  takenOver: {
    type: 'publish',
    params: ({ event: { at }, context: { takenOver } }: On<'line.adopted'> & { context: CallContext }) =>
      fact({ type: 'call.taken_over', at, node: takenOver?.node ?? '' }),
  },
  answeredBy: {
    type: 'publish',
    params: ({ event: { at, by } }: On<'line.answered_by'>) => fact({ type: 'call.answered_by', at, by }),
  },
  held: {
    type: 'publish',
    params: ({ event: { at } }: On<'line.held'>) => fact({ type: 'call.held', at }),
  },
  resumed: {
    type: 'publish',
    params: ({ event: { at } }: On<'line.resumed'>) => fact({ type: 'call.resumed', at }),
  },
  oneWay: {
    type: 'publish',
    params: ({ event: { at, missing } }: On<'line.one_way'>) => fact({ type: 'sound.one_way', at, missing }),
  },
  keysPressed: {
    type: 'publish',
    params: ({ event: { keys } }: Asked<'keys.requested'>) => fact({ type: 'keys.pressed', keys }),
  },
  recordingPaused: { type: 'publish', params: { type: 'recording.paused' } },
  recordingResumed: { type: 'publish', params: { type: 'recording.resumed' } },
  hangupRequested: {
    type: 'publish',
    params: ({ event: { immediate } }: Asked<'hangup.requested'>) =>
      fact({ type: 'call.hangup_requested', immediate }),
  },
  hangupCancelled: {
    type: 'publish',
    params: ({ event: { at } }: On<'line.speech' | 'line.heard'>) =>
      fact({ type: 'call.hangup_cancelled', at }),
  },
  ended: { type: 'publish', params: ({ context }: { context: CallContext }) => ended(context) },
} as const;
