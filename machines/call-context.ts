/** The input of a call, the requests that it takes while it lasts, its context, and its output. */
import type { ConversationInput, ConversationMessage, SayRequest } from './conversation-context.ts';
import type { AnsweredBy, CallRoute, LineEvent, LineEventOf, LineInput, SipDetails } from './line.ts';
import { outcomeOf, type CallOutcome, type EndReason } from './outcome.ts';
import type { SoundFigures } from './sound-figures.ts';

/** Treatment of an outbound call that a machine has answered; with `talk` the agent goes on as with a person. */
export type VoicemailPolicy = 'talk' | 'hang_up' | 'leave_message';

/** The input of its line and of its conversation, and its own. */
export type CallInput = LineInput &
  ConversationInput & {
    ringTimeoutSec: number;
    /** Counted from the answer; of a call that was taken over, what remains. */
    maxDurationSec: number;
    farewellWaitMs: number;
    hangUpTimeoutMs: number;
    /** How long the line of a call that another process held may take until it is adopted. */
    adoptTimeoutMs: number;
    voicemail: VoicemailPolicy;
  };

/** Requests to a call. */
export type CallCommand =
  | { type: 'hangup.requested'; immediate: boolean }
  /** The agent presses keys of the telephone, as in `LineCommand`. */
  | { type: 'keys.requested'; keys: string }
  /** A program has words said in the agent's place. */
  | SayRequest
  /** What is said now is not to be in the recording. */
  | { type: 'recording.pause_requested' }
  | { type: 'recording.resume_requested' }
  | { type: 'cancel.requested' }
  /** The gateway shuts down and cannot wait any longer. */
  | { type: 'gateway.closing' };

export type CallMachineEvent =
  | LineEvent
  | ConversationMessage
  | CallCommand
  /** It was just found out who has answered; what follows from it is decided. */
  | { type: 'answerer.known' };

/**
 * The context of a call. Its input is one object in it: XState copies the context at each change, and from some twenty
 * fields on such a copy takes four times the time and the room.
 */
export type CallContext = Pick<CallInput, 'callId'> & {
  input: CallInput;
  wasAnswered: boolean;
  agentIsBusy: boolean;
  answeredBy: AnsweredBy | null;
  recordingIsPaused: boolean;
  hangupIsPending: boolean;
  endReason: EndReason | null;
  endedAt: number | null;
  /** False where nobody was there to see it. */
  endWasSeen: boolean;
  sip: SipDetails | null;
  route: CallRoute | null;
  sound: SoundFigures | null;
};

export const contextOf = (input: CallInput): CallContext => ({
  callId: input.callId,
  input,
  wasAnswered: input.takenOver !== null,
  agentIsBusy: false,
  answeredBy: input.takenOver?.answeredBy ?? null,
  recordingIsPaused: input.takenOver?.recordingIsPaused ?? false,
  hangupIsPending: input.takenOver?.hangupIsPending ?? false,
  endReason: input.takenOver?.endReason ?? null,
  endedAt: null,
  endWasSeen: true,
  sip: null,
  route: null,
  sound: null,
});

export const lineInput = ({ input }: CallContext): LineInput => {
  const { callId, direction, from, to, language, speech, recording, bargeIn, turnEnd } = input;
  return { callId, direction, from, to, language, speech, recording, bargeIn, turnEnd };
};

/** `endedAt` is `null` where the line did not tell; the others where it knows nothing of SIP, trunks and packets. */
export type CallOutput = CallOutcome & Pick<CallContext, 'endedAt' | 'sip' | 'route' | 'sound'>;

export const outputOf = (context: CallContext): CallOutput => {
  const { endReason, wasAnswered, endedAt, sip, route, sound } = context;
  return { ...outcomeOf(endReason ?? 'system_error', wasAnswered), endedAt, sip, route, sound };
};

/** The first cause wins. */
export const firstCause = ({ endReason }: CallContext, cause: EndReason): EndReason => endReason ?? cause;

/** The last word of a line. */
export type LastWord = LineEventOf<'line.unanswered' | 'line.ended'>;

/** The course of the call, as far as the line knows it. */
export const lastWords = (word: LastWord): Pick<CallContext, 'endedAt' | 'sip' | 'route' | 'sound'> => ({
  endedAt: word.at,
  sip: word.sip ?? null,
  route: word.route ?? null,
  sound: word.type === 'line.ended' ? (word.sound ?? null) : null,
});
