/** Actions of the call chart: end reasons, commands to the line, and published facts. */
import {
  failureOf,
  outputOf,
  transferOf,
  type CallCommand,
  type CallContext,
  type CallMachineEvent,
  type LastWord,
} from './call-context.ts';
import type { KeysWanted } from './collected-keys.ts';
import type { LanguageRequest } from './control.ts';
import type { ConversationEvent } from './conversation-context.ts';
import type { CallFact } from './facts.ts';
import type { KeysCommand, LineCommand, LineEvent, LineEventOf } from './line.ts';
import { transferForOtherParty, type BriefingWritten } from './transfer.ts';

type On<Type extends LineEvent['type']> = { event: LineEventOf<Type> };

type OnCommand<Type extends CallCommand['type']> = { event: Extract<CallCommand, { type: Type }> };

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

/** Fact about a transfer that is over; a cancelled transfer is returned, not failed. */
const transferOver = (context: CallContext, event: CallMachineEvent): CallFact => {
  const { transferId } = transferOf(context);
  const reason = failureOf(context, event);
  if (reason === 'cancelled') return { type: 'call.transfer_returned', transferId };
  const sip = event.type === 'line.transfer_failed' ? event.sip : undefined;
  return { type: 'call.transfer_failed', transferId, reason, ...(sip === undefined ? {} : { sip }) };
};

const fact = (given: CallFact): CallFact => given;

/** Sets the end reason, unless one is already set. */
export const ends = {
  cancelled: { type: 'end', params: 'cancelled' },
  unanswered: { type: 'end', params: 'no_answer' },
  unconnected: { type: 'end', params: ({ event: { cause } }: On<'line.unanswered'>) => cause },
  byAgent: { type: 'end', params: 'agent_hangup' },
  byCounterparty: { type: 'end', params: 'counterparty_hangup' },
  byNetwork: { type: 'end', params: 'trunk_error' },
  byTransfer: { type: 'end', params: 'transfer_completed' },
  forConsent: { type: 'end', params: 'consent_refused' },
  forTransfer: { type: 'end', params: 'transfer_failed' },
  forDuration: { type: 'end', params: 'max_duration' },
  forSilence: { type: 'end', params: 'silence_timeout' },
  forAgent: { type: 'end', params: 'agent_error' },
  forMedia: { type: 'end', params: 'media_error' },
  forFault: { type: 'end', params: 'system_error' },
} as const;

/** Switches the conversation to call screening, or from call screening to the person behind it. */
export const meetsScreening = [
  { guard: 'isScreened', actions: { type: 'tellConversation', params: { type: 'screening.reached' } } },
  { guard: 'isBehindScreening', actions: 'leaveScreening' },
] as const;

/**
 * Command that hides the digits of the other party from everyone except the agent; the digit `finish` stays visible.
 */
export const hideKeys = ({ finish }: KeysWanted): KeysCommand => ({ type: 'hideKeys', finish });

export const tells = {
  hangUp: { type: 'tellLine', params: { type: 'hangUp' } },
  keepKeys: { type: 'endSecret', params: { type: 'keepKeys' } },
  forgetKeys: { type: 'endSecret', params: { type: 'forgetKeys' } },
  showKeys: { type: 'endSecret', params: { type: 'showKeys' } },
  changeLanguage: {
    type: 'tellLine',
    params: ({ event: { language } }: { event: LanguageRequest }): LineCommand => ({
      type: 'changeLanguage',
      language,
    }),
  },
  transfer: {
    type: 'tellLine',
    params: ({ context }: { context: CallContext }): LineCommand => {
      const { to, mode } = transferOf(context);
      return { type: 'transfer', to, mode };
    },
  },
  brief: {
    type: 'tellLine',
    params: ({ context }: { context: CallContext }): LineCommand => {
      const { briefing: text, acceptKey } = transferOf(context);
      return { type: 'brief', text, acceptKey };
    },
  },
  connect: { type: 'tellLine', params: { type: 'connect' } },
  refuseRefer: { type: 'tellLine', params: { type: 'refuseRefer' } },
  cancelTransfer: { type: 'tellLine', params: { type: 'cancelTransfer' } },
  expectHangup: { type: 'tellLine', params: { type: 'expectHangup' } },
  pauseRecording: { type: 'tellLine', params: { type: 'pauseRecording' } },
  resumeRecording: { type: 'tellLine', params: { type: 'resumeRecording' } },
} as const;

/** Looks up whether the number allows a transfer that the other party requested, as for a transfer by the agent. */
export const looksUpTransfer = {
  type: 'askForTransfer',
  params: ({ event }: On<'line.refer_received'>) => transferForOtherParty(event.to),
} as const;

/** Announces the transfer to the conversation. The agent is silent from then on. */
export const beginsTransfer = {
  type: 'tellConversation',
  params: ({ event: { sentences } }: OnCommand<'transfer.requested'>): ConversationEvent => ({
    type: 'transfer.begun',
    sentences,
  }),
} as const;

export const takesBriefing = {
  type: 'takeBriefing',
  params: ({ event }: { event: BriefingWritten }) => event,
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
      fact({
        type: 'call.taken_over',
        at,
        node: input.takenOver?.node ?? '',
        from: input.takenOver?.from ?? '',
      }),
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
    params: ({ event: { at, keys } }: On<'line.pressed'>) => fact({ type: 'keys.pressed', at, keys }),
  },
  keysFailed: {
    type: 'publish',
    params: ({ event: { at, keys } }: On<'line.press_failed'>) => fact({ type: 'keys.failed', at, keys }),
  },
  sayRequested: {
    type: 'publish',
    params: ({ event: { sentences, interrupt } }: OnCommand<'say.requested'>) =>
      fact({ type: 'say.requested', text: sentences.join(' '), interrupt }),
  },
  collectRequested: {
    type: 'publish',
    params: ({ event: { wanted } }: OnCommand<'collect.requested'>) =>
      fact({ type: 'collect.requested', ...wanted }),
  },
  languageChanged: {
    type: 'publish',
    params: ({ event: { language } }: { event: LanguageRequest }) =>
      fact({ type: 'language.changed', language }),
  },
  transferRequested: {
    type: 'publish',
    params: ({ event: { transferId, to, mode, sentences } }: OnCommand<'transfer.requested'>) =>
      fact({
        type: 'call.transfer_requested',
        transferId,
        to,
        mode,
        ...(sentences.length === 0 ? {} : { announced: true }),
      }),
  },
  transferRinging: {
    type: 'publish',
    params: ({ context }: { context: CallContext }) =>
      fact({ type: 'call.transfer_ringing', transferId: transferOf(context).transferId }),
  },
  transferAnswered: {
    type: 'publish',
    params: ({ event: { at }, context }: On<'line.transfer_answered'> & { context: CallContext }) =>
      fact({ type: 'call.transfer_answered', at, transferId: transferOf(context).transferId }),
  },
  transferConnected: {
    type: 'publish',
    params: ({
      event: { at },
      context,
    }: On<'line.transferred' | 'line.referred'> & { context: CallContext }) => {
      const { transferId, isRecorded: recorded, maxDurationSec } = transferOf(context);
      return fact({ type: 'call.transfer_connected', at, transferId, recorded, maxDurationSec });
    },
  },
  transferOver: {
    type: 'publish',
    params: ({ event, context }: { event: CallMachineEvent; context: CallContext }) =>
      transferOver(context, event),
  },
  recordingPaused: { type: 'publish', params: { type: 'recording.paused' } },
  recordingResumed: { type: 'publish', params: { type: 'recording.resumed' } },
  hangupRequested: {
    type: 'publish',
    params: ({ event: { immediate } }: OnCommand<'hangup.requested'>) =>
      fact({ type: 'call.hangup_requested', immediate }),
  },
  hangupCancelled: {
    type: 'publish',
    params: ({ event: { at } }: On<'line.speech' | 'line.heard'>) =>
      fact({ type: 'call.hangup_cancelled', at }),
  },
  ended: { type: 'publish', params: ({ context }: { context: CallContext }) => ended(context) },
} as const;
