/** The input of a call, the requests that it takes while it lasts, its context, and its output. */
import type { CollectRequest } from './collected-keys.ts';
import { secretWanted } from './control.ts';
import type { ConversationInput, ConversationMessage, SayRequest } from './conversation-context.ts';
import type { AnsweredBy, CallRoute, LineEvent, LineEventOf, LineInput, SipDetails } from './line.ts';
import { outcomeOf, type CallOutcome, type EndReason } from './outcome.ts';
import type { SoundFigures } from './sound-figures.ts';
import type {
  BriefingWritten,
  Transfer,
  TransferFailure,
  TransferRefused,
  TransferRequest,
} from './transfer.ts';

/** Treatment of an outbound call that a machine has answered; with `talk` the agent goes on as with a person. */
export type VoicemailPolicy = 'talk' | 'hang_up' | 'leave_message';

/** Treatment of an outbound call that call screening has answered: it is told who calls and why, or hung up on. */
export type ScreeningPolicy = 'answer' | 'hang_up';

/** Treatment of an outbound call that a menu has answered; with `talk` the agent hears it, and may press keys. */
export type MenuPolicy = 'talk' | 'hang_up';

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
    screening: ScreeningPolicy;
    menu: MenuPolicy;
  };

/** Requests to a call. */
export type CallCommand =
  /** With `isFinal`, speech of the other party does not cancel it: the gateway shuts down. */
  | { type: 'hangup.requested'; immediate: boolean; isFinal?: boolean }
  /** The agent presses keys of the telephone, as in `LineCommand`. */
  | { type: 'keys.requested'; keys: string }
  /** A program has words said in the agent's place. */
  | SayRequest
  /** The other party's keys are to come to the agent as one turn. */
  | CollectRequest
  /** The other party is to be handed to a person. */
  | TransferRequest
  | { type: 'transfer.taken_back' }
  | BriefingWritten
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
  | TransferRefused
  /** It was just found out who has answered, `wasScreened`: behind call screening; what follows from it is decided. */
  | { type: 'answerer.known'; wasScreened: boolean };

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
  /** The other party has not agreed, and nothing of it is recorded. */
  consentIsAwaited: boolean;
  keys: {
    /** Whether the agent's can be sent to the other party. */
    canPress: boolean;
    /** While the other party presses some that are a secret: whether the recording was paused for them. */
    secret: { pausedRecording: boolean } | null;
  };
  /** A hang-up that waits, and whether speech of the other party may still cancel it; null where none does. */
  pendingHangup: 'cancellable' | 'final' | null;
  /** The one that is under way, or that has come about. */
  transfer: Transfer | null;
  endReason: EndReason | null;
  endedAt: number | null;
  /** False where nobody was there to see it. */
  endWasSeen: boolean;
  sip: SipDetails | null;
  route: CallRoute | null;
  sound: SoundFigures | null;
};

/** Of a call that was taken over while they came, or were to come. */
const secretKeysOf = ({ takenOver }: CallInput): CallContext['keys']['secret'] =>
  takenOver === null || secretWanted(takenOver.conversation) === null
    ? null
    : { pausedRecording: takenOver.pausedForSecret };

/** Where the person was lost, the agent goes on, whatever was to become of the call. */
const leftTransferOf = ({ takenOver }: CallInput): Transfer | null => {
  const left = takenOver?.transfer ?? null;
  if (left === null) return null;
  const { transferId, to } = left;
  const asked = {
    transferId,
    to,
    mode: 'cold',
    sentences: [],
    briefing: '',
    acceptKey: null,
    ringTimeoutSec: 0,
    onFailure: 'resume',
  } as const;
  if (left.state === 'lost')
    return { ...asked, isRecorded: true, maxDurationSec: 0, givenUp: 'trunk_error', talkedMs: 0 };
  const { isRecorded, maxDurationSec, talkedMs } = left;
  return { ...asked, isRecorded, maxDurationSec, givenUp: null, talkedMs };
};

export const contextOf = (input: CallInput): CallContext => ({
  callId: input.callId,
  input,
  wasAnswered: input.takenOver !== null,
  agentIsBusy: false,
  answeredBy: input.takenOver?.answeredBy ?? null,
  recordingIsPaused: input.takenOver?.recordingIsPaused ?? false,
  consentIsAwaited: input.consent !== null && (input.takenOver?.consentIsAwaited ?? true),
  keys: { canPress: true, secret: secretKeysOf(input) },
  pendingHangup: input.takenOver?.hangupIsPending === true ? 'cancellable' : null,
  transfer: leftTransferOf(input),
  endReason: input.takenOver?.endReason ?? null,
  endedAt: null,
  endWasSeen: true,
  sip: null,
  route: null,
  sound: null,
});

export const lineInput = ({ input }: CallContext): LineInput => {
  const { callId, direction, from, to, language, speech, recording, bargeIn, turnEnd, sipHeaders } = input;
  const line = { callId, direction, from, to, language, speech, recording, bargeIn, turnEnd };
  return sipHeaders === undefined ? line : { ...line, sipHeaders };
};

/** `endedAt` is `null` where the line did not tell; the others where it knows nothing of SIP, trunks and packets. */
export type CallOutput = CallOutcome & Pick<CallContext, 'endedAt' | 'sip' | 'route' | 'sound'>;

export const outputOf = (context: CallContext): CallOutput => {
  const { endReason, wasAnswered, endedAt, sip, route, sound } = context;
  return { ...outcomeOf(endReason ?? 'system_error', wasAnswered), endedAt, sip, route, sound };
};

/** The first cause wins. */
export const firstCause = ({ endReason }: CallContext, cause: EndReason): EndReason => endReason ?? cause;

/** The transfer of a call that has one. */
export const transferOf = ({ transfer }: Pick<CallContext, 'transfer'>): Transfer => {
  if (transfer === null) throw new Error('Something became of a transfer that nobody had asked for');
  return transfer;
};

/** Why nobody was connected: that it was given up goes before what the line says of it. */
export const failureOf = (
  context: Pick<CallContext, 'transfer'>,
  event: { type: string; cause?: TransferFailure },
): TransferFailure => transferOf(context).givenUp ?? event.cause ?? 'no_answer';

/** The last word of a line. */
export type LastWord = LineEventOf<'line.unanswered' | 'line.ended'>;

/** The course of the call, as far as the line knows it. */
export const lastWords = (word: LastWord): Pick<CallContext, 'endedAt' | 'sip' | 'route' | 'sound'> => ({
  endedAt: word.at,
  sip: word.sip ?? null,
  route: word.route ?? null,
  sound: word.type === 'line.ended' ? (word.sound ?? null) : null,
});
