/** Input, events, messages and context of a conversation. */
import type { CollectedKeys, CollectRequest, SecretNotice } from './collected-keys.ts';
import type { ConsentMessage, ConsentWanted } from './consent.ts';
import { languageBehind, type ControlRequest, type WaitingControl } from './control.ts';
import type { BargeIn, LineEvent } from './line.ts';
import type { ReplyEvent } from './reply.ts';
import type { CallResumeState } from './resume-state.ts';
import type { TransferAnnounced, TransferMessage } from './transfer.ts';
import type { Turns } from './turns.ts';
import type { VoicemailMessage } from './voicemail.ts';

/** The gateway's own sentences, independent of the agent. */
export type Phrases = {
  /** Sentence when a reply failed before its first words; the gateway then listens again. */
  apology: string;
  /** Sentence when a reply failed after its first words; the gateway then listens again. */
  brokenOff: string;
  /**
   * Introduction of the caller, apology and goodbye when the first reply of an outbound call failed. The call then
   * ends.
   */
  failedOpening: string;
  /** Apology and goodbye when the second reply in a row failed. The call then ends. */
  failedGoodbye: string;
  /** Sentence after a silence of `silenceTimeoutSec`, spoken once. */
  reprompt: string;
  /** Message for an answering machine. */
  voicemailMessage: string;
  /** Sentence said when the other party refuses consent; then the call ends. */
  consentRefused: string;
};

export type ConversationInput = Phrases & {
  callId: string;
  /** The gateway's own sentences by language (BCP 47), for calls in which the agent changes the language. */
  phrasesIn: Readonly<Record<string, Phrases>>;
  /** First user turn of an outbound call; `null` if the other party speaks first. */
  kickoff: string | null;
  /** Greeting of an inbound call; `null` for no greeting. */
  greeting: string | null;
  /** Answer to call screening: the caller's name and the reason for the call. */
  introduction: string;
  /** Consent announcement; `null` if there is none. */
  consent: ConsentWanted | null;
  silenceTimeoutSec: number;
  bargeIn: BargeIn;
  /** Resume state of a call that was taken over; `null` for a conversation that begins with the answer. */
  takenOver: CallResumeState | null;
};

/**
 * Words of a program, spoken in the agent's place when the floor is free. With `interrupt`, they replace the agent's
 * words or pending reply.
 */
export type SayRequest = { type: 'say.requested'; sentences: readonly string[]; interrupt: boolean };

/** Events that the call forwards to its conversation. */
export type ConversationEvent =
  | LineEvent
  | ReplyEvent
  | VoicemailMessage
  | SayRequest
  /** The agent or a program requests to collect DTMF digits of the other party into a turn. */
  | CollectRequest
  | TransferMessage
  /** A machine answered, and a message is left on it. */
  | { type: 'voicemail.reached' }
  /** Call screening answered: the caller introduces itself. */
  | { type: 'screening.reached' }
  /** Call screening is over. A person follows, whose consent may be required first. */
  | { type: 'screening.over'; consentIsAwaited: boolean }
  /** The line is being hung up, and may still report heard words. */
  | { type: 'call.ending' }
  /** The line is closed, and no further reports will arrive. */
  | { type: 'call.over' };

/** Messages from the conversation to its call. */
export type ConversationMessage =
  | { type: 'say'; utterance: number; text: string; language?: string }
  | { type: 'stopTalking' }
  | { type: 'pauseTalking' }
  | { type: 'resumeTalking' }
  /** A control of the agent's reply is due. */
  | ControlRequest
  | SecretNotice
  | TransferAnnounced
  | ConsentMessage
  /** The floor is taken: an utterance is playing, a reply is pending, or the other party is speaking. */
  | { type: 'agent.busy' }
  /** The floor is free: all words are said and answered. */
  | { type: 'agent.quiet' }
  /** Replies failed, and the goodbye was heard. */
  | { type: 'agent.failed' }
  /** The other party was silent, even after the reprompt. */
  | { type: 'silence.lasted' }
  /** The whole message was left on the machine. */
  | { type: 'message.left' }
  /** The collected digits became a turn, or the collection was dropped. */
  | { type: 'keys.collected' };

/** Context of a conversation. Its input is a single object, as in `CallContext`. */
export type ConversationContext = Pick<ConversationInput, 'callId'> &
  Turns & {
    input: ConversationInput;
    /** Number of the last utterance; the first one has the number 1. */
    utterance: number;
    /** Sentences of a program that wait for the floor, in order. */
    asked: readonly string[];
    /** Controls of replies whose sentences are not heard yet, in order. */
    controls: readonly WaitingControl[];
    /** Language set by the agent; null while it is the initial one. */
    language: string | null;
    /** Digits that the agent collects; null if it collects none. */
    collected: CollectedKeys | null;
    failuresInARow: number;
    wasReprompted: boolean;
    /**
     * Whether no word of the last requested reply was audible yet. If a hold or a voice without words aborts the reply,
     * it is requested again.
     */
    isReplyOwed: boolean;
    /** Time at which the last hold began; null if none did, or if another process held the call then. */
    heldSince: number | null;
  };

/** Context of a new conversation. */
const nothingSaid = {
  messages: [],
  turn: 0,
  utterance: 0,
  spoken: null,
  asked: [],
  controls: [],
  language: null,
  collected: null,
  failuresInARow: 0,
  wasReprompted: false,
  unanswered: 0,
  isReplyOwed: false,
} as const;

export const contextOf = (input: ConversationInput): ConversationContext => ({
  callId: input.callId,
  input,
  ...(input.takenOver === null ? nothingSaid : saidBefore(input.takenOver)),
  unplayed: [],
  heldSince: null,
});

/**
 * Returns the utterances that were unheard when the conversation was taken over. Each of them is spoken again as a
 * whole.
 */
export const unsaidOf = ({ input }: Pick<ConversationContext, 'input'>): readonly string[] =>
  input.takenOver?.conversation.unsaid ?? [];

/** Returns the gateway's sentences in the language that applies to an utterance queued now. */
export const phrasesOf = ({
  input,
  language,
  controls,
}: Pick<ConversationContext, 'input' | 'language' | 'controls'>): Phrases => {
  const spoken = languageBehind(controls, Infinity) ?? language;
  return (spoken === null ? undefined : input.phrasesIn[spoken]) ?? input;
};

const saidBefore = ({
  conversation: { resumesAs: _resumesAs, unsaid: _unsaid, ...said },
}: CallResumeState): Omit<ConversationContext, 'callId' | 'input' | 'unplayed' | 'heldSince'> => said;
