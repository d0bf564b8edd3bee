/** Why a call ends, what it tells its line and what it publishes, as the actions that its arrows name. */
import { outputOf, type CallCommand, type CallContext, type LastWord } from './call-context.ts';
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

/** Why the call ends, where nothing has ended it before. */
export const ends = {
  cancelled: { type: 'end', params: 'cancelled' },
  unanswered: { type: 'end', params: 'no_answer' },
  unconnected: { type: 'end', params: ({ event: { cause } }: On<'line.unanswered'>) => cause },
  byAgent: { type: 'end', params: 'agent_hangup' },
  byCounterparty: { type: 'end', params: 'counterparty_hangup' },
  forDuration: { type: 'end', params: 'max_duration' },
  forSilence: { type: 'end', params: 'silence_timeout' },
  forAgent: { type: 'end', params: 'agent_error' },
  forMedia: { type: 'end', params: 'media_error' },
  forFault: { type: 'end', params: 'system_error' },
} as const;

export const tells = {
  hangUp: { type: 'tellLine', params: { type: 'hangUp' } },
  expectHangup: { type: 'tellLine', params: { type: 'expectHangup' } },
  pauseRecording: { type: 'tellLine', params: { type: 'pauseRecording' } },
  resumeRecording: { type: 'tellLine', params: { type: 'resumeRecording' } },
} as const;

export const notesLastWord = {
  type: 'noteLastWord',
  params: ({ event }: { event: LastWord }) => event,
} as const;

export const publishes = {
  answered: { type: 'publish', params: ({ event }: On<'line.answered'>) => answered(event) },
  takenOver: {
    type: 'publish',
    params: ({ event: { at }, context: { input } }: On<'line.adopted'> & { context: CallContext }) =>
      fact({ type: 'call.taken_over', at, node: input.takenOver?.node ?? '' }),
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
  sayRequested: {
    type: 'publish',
    params: ({ event: { sentences, interrupt } }: Asked<'say.requested'>) =>
      fact({ type: 'say.requested', text: sentences.join(' '), interrupt }),
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
