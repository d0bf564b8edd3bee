/** Input, requests, context and output of a call. */
import type { CollectRequest } from './collected-keys.ts';
import { secretWanted } from './control.ts';
import type { ConversationInput, ConversationMessage, SayRequest } from './conversation-context.ts';
import type { AnsweredBy, CallRoute, LineEvent, LineEventOf, LineInput, SipDetails } from './line.ts';
import { outcomeOf, type CallOutcome, type EndReason } from './outcome.ts';
import type { MediaStatistics } from './media-statistics.ts';
import type {
  BriefingWritten,
  Transfer,
  TransferFailure,
  TransferRefused,
  TransferRequest,
} from './transfer.ts';

/** Treatment of an outbound call that a machine answered. With `talk`, the agent continues as with a person. */
export type VoicemailPolicy = 'talk' | 'hang_up' | 'leave_message';

/** Treatment of an outbound call that call screening answered: introduce the caller, or hang up. */
export type ScreeningPolicy = 'answer' | 'hang_up';

/**
 * Treatment of an outbound call that a menu answered. With `talk`, the agent hears the menu and may send DTMF digits.
 */
export type MenuPolicy = 'talk' | 'hang_up';

/** Input of the call, of its line and of its conversation. */
export type CallInput = LineInput &
  ConversationInput & {
    ringTimeoutSec: number;
    /** Maximum duration in seconds, counted from the answer. After take-over, the remaining seconds. */
    maxDurationSec: number;
    farewellWaitMs: number;
    hangUpTimeoutMs: number;
    /** Maximum time to take over the line of a call of another process. */
    adoptTimeoutMs: number;
    voicemail: VoicemailPolicy;
    screening: ScreeningPolicy;
    menu: MenuPolicy;
  };

/** Requests to a call. */
export type CallCommand =
  /**
   * Requests a hang-up. With `isFinal`, speech of the other party does not cancel the hang-up, because the gateway is
   * shutting down.
   */
  | { type: 'hangup.requested'; immediate: boolean; isFinal?: boolean }
  /** The agent requests sending DTMF digits. `keys` has the format of `press` in `LineCommand`. */
  | { type: 'keys.requested'; keys: string }
  /** A program requests that a text be spoken in the agent's place. */
  | SayRequest
  /** The agent or a program requests to collect DTMF digits of the other party into one turn. */
  | CollectRequest
  /** The agent or a program requests a transfer of the other party to a person. */
  | TransferRequest
  | { type: 'transfer.taken_back' }
  | BriefingWritten
  /** A program requests to pause the recording. */
  | { type: 'recording.pause_requested' }
  | { type: 'recording.resume_requested' }
  | { type: 'cancel.requested' }
  /** The gateway is shutting down, and its time limit has passed. */
  | { type: 'gateway.closing' };

export type CallMachineEvent =
  | LineEvent
  | ConversationMessage
  | CallCommand
  | TransferRefused
  /**
   * The answerer was just detected, and the chart decides how the call continues. `wasScreened`: the answerer follows
   * call screening.
   */
  | { type: 'answerer.known'; wasScreened: boolean };

/**
 * Context of a call. The input is nested as one object, because XState copies the context at each change, and copying
 * some twenty more fields takes four times the time and memory.
 */
export type CallContext = Pick<CallInput, 'callId'> & {
  input: CallInput;
  wasAnswered: boolean;
  agentIsBusy: boolean;
  answeredBy: AnsweredBy | null;
  recordingIsPaused: boolean;
  /** Whether the call waits for consent. Recording is off until the other party agrees. */
  consentIsAwaited: boolean;
  keys: {
    /** Whether DTMF digits of the agent can be sent to the other party. */
    canPress: boolean;
    /**
     * State while the other party enters secret digits: whether the recording was paused for them. Null at other times.
     */
    secret: { pausedRecording: boolean } | null;
  };
  /** Pending hang-up, and whether speech of the other party may still cancel it; null without a pending hang-up. */
  pendingHangup: 'cancellable' | 'final' | null;
  /** The transfer in progress, or the completed one. */
  transfer: Transfer | null;
  endReason: EndReason | null;
  endedAt: number | null;
  /** Whether the end of the call was observed. */
  endWasSeen: boolean;
  sip: SipDetails | null;
  route: CallRoute | null;
  sound: MediaStatistics | null;
};

/** Masking of DTMF digits in a call that was taken over during or before the entry of secret ones. */
const secretKeysOf = ({ takenOver }: CallInput): CallContext['keys']['secret'] =>
  takenOver === null || secretWanted(takenOver.conversation) === null
    ? null
    : { pausedRecording: takenOver.pausedForSecret };

/**
 * Transfer of a call that was taken over. If the person of the transfer was lost, the agent continues, regardless of
 * `onFailure`.
 */
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

/**
 * Output of a call. `endedAt` is `null` if the line did not report its end. The other fields are `null` if the line has
 * no SIP, trunks or packets.
 */
export type CallOutput = CallOutcome & Pick<CallContext, 'endedAt' | 'sip' | 'route' | 'sound'>;

export const outputOf = (context: CallContext): CallOutput => {
  const { endReason, wasAnswered, endedAt, sip, route, sound } = context;
  return { ...outcomeOf(endReason ?? 'system_error', wasAnswered), endedAt, sip, route, sound };
};

/** Returns the existing end reason, because the first cause wins; `cause` if there is none. */
export const firstCause = ({ endReason }: CallContext, cause: EndReason): EndReason => endReason ?? cause;

/** Returns the transfer of a call. Throws if the call has none. */
export const transferOf = ({ transfer }: Pick<CallContext, 'transfer'>): Transfer => {
  if (transfer === null) throw new Error('Something became of a transfer that nobody had asked for');
  return transfer;
};

/** Returns the reason of a failed transfer. A cancellation takes precedence over the line's report. */
export const failureOf = (context: Pick<CallContext, 'transfer'>, event: CallMachineEvent): TransferFailure =>
  transferOf(context).givenUp ?? (event.type === 'line.transfer_failed' ? event.cause : 'no_answer');

/** The final event of a line, which has the data for the call record. */
export type LastWord = LineEventOf<'line.unanswered' | 'line.ended'>;

/** Returns the data for the call record from the line's final event. */
export const lastWords = (word: LastWord): Pick<CallContext, 'endedAt' | 'sip' | 'route' | 'sound'> => ({
  endedAt: word.at,
  sip: word.sip ?? null,
  route: word.route ?? null,
  sound: word.type === 'line.ended' ? (word.sound ?? null) : null,
});
