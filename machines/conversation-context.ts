/** The input of a conversation, its events, its messages to the call, and its context. */
import type { CollectedKeys, CollectRequest, SecretNotice } from './collected-keys.ts';
import type { ConsentMessage, ConsentWanted } from './consent.ts';
import { languageBehind, type ControlRequest, type WaitingControl } from './control.ts';
import type { BargeIn, LineEvent } from './line.ts';
import type { ReplyEvent } from './reply.ts';
import type { TakenOverCall } from './taken-over.ts';
import type { TransferAnnounced, TransferMessage } from './transfer.ts';
import type { Turns } from './turns.ts';
import type { VoicemailMessage } from './voicemail.ts';

/** The few sentences that the gateway says by itself, whatever the agent. */
export type Phrases = {
  /** Said when a reply failed of which nothing had come; then the gateway goes on listening. */
  apology: string;
  /** Said when a reply broke off after its first words; then the gateway goes on listening. */
  brokenOff: string;
  /** Introduces the call, excuses it and says goodbye: when the first reply of an outbound call failed. The call ends. */
  failedOpening: string;
  /** Excuses and says goodbye: when the second reply in a row failed. The call ends. */
  failedGoodbye: string;
  /** Said once when nobody has spoken for `silenceTimeoutSec`. */
  reprompt: string;
  /** Left on an answering machine. */
  voicemailMessage: string;
  /** Said to who does not agree to what it was told; then the call ends. */
  consentRefused: string;
};

export type ConversationInput = Phrases & {
  callId: string;
  /** The same in other languages, by their names (BCP 47), for a call of which the agent changes the language. */
  phrasesIn: Readonly<Record<string, Phrases>>;
  /** The first user turn of an outbound call; `null` where the other party speaks first. */
  kickoff: string | null;
  /** What an inbound caller is greeted with; `null` for nothing. */
  greeting: string | null;
  /** Answer to call screening: the caller's name and the reason for the call. */
  introduction: string;
  /** `null` where the other party is told nothing before. */
  consent: ConsentWanted | null;
  silenceTimeoutSec: number;
  bargeIn: BargeIn;
  /** `null` for a conversation that begins with the answer. */
  takenOver: TakenOverCall | null;
};

/**
 * Words that a program has said in the agent's place as soon as the floor is free; with `interrupt` instead of what the
 * agent is saying or thinking of.
 */
export type SayRequest = { type: 'say.requested'; sentences: readonly string[]; interrupt: boolean };

/** Events that the call passes on to its conversation. */
export type ConversationEvent =
  | LineEvent
  | ReplyEvent
  | VoicemailMessage
  | SayRequest
  /** The other party's keys are to be a turn. */
  | CollectRequest
  | TransferMessage
  /** A machine has answered: a message is to be left on it. */
  | { type: 'voicemail.reached' }
  /** Call screening has answered: it is to be told who calls and why. */
  | { type: 'screening.reached' }
  /** Somebody has come behind call screening, who may have to agree first to what it is told. */
  | { type: 'screening.over'; consentIsAwaited: boolean }
  /** The line is being hung up; it may still report what was heard. */
  | { type: 'call.ending' }
  /** The line is gone; nothing more will be reported. */
  | { type: 'call.over' };

/** Messages of the conversation to its call. */
export type ConversationMessage =
  | { type: 'say'; utterance: number; text: string; language?: string }
  | { type: 'stopTalking' }
  | { type: 'pauseTalking' }
  | { type: 'resumeTalking' }
  /** What the agent has done by a mark in its reply. */
  | ControlRequest
  | SecretNotice
  | TransferAnnounced
  | ConsentMessage
  /** Something is being said, a reply is being produced, or the other party is in the midst of a sentence. */
  | { type: 'agent.busy' }
  /** Nothing is left to say or to answer. */
  | { type: 'agent.quiet' }
  /** Replies have failed, and the goodbye was said. */
  | { type: 'agent.failed' }
  /** Nobody spoke, not even after the reprompt. */
  | { type: 'silence.lasted' }
  /** The whole message was said to the machine. */
  | { type: 'message.left' }
  /** The keys that the agent wanted are a turn now, or are not waited for any more. */
  | { type: 'keys.collected' };

/** The context of a conversation. Its input is one object in it, as in `CallContext`. */
export type ConversationContext = Pick<ConversationInput, 'callId'> &
  Turns & {
    input: ConversationInput;
    /** Counts utterances, from 1. */
    utterance: number;
    /** Sentences of a program that wait for the floor, in order. */
    asked: readonly string[];
    /** Of the replies whose sentences are not heard yet, in order. */
    controls: readonly WaitingControl[];
    /** To which the agent has changed it; null while it is the one that the call began with. */
    language: string | null;
    /** Null while the agent wants no keys. */
    collected: CollectedKeys | null;
    failuresInARow: number;
    wasReprompted: boolean;
  };

/** Of a conversation of which nothing was said. */
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
} as const;

export const contextOf = (input: ConversationInput): ConversationContext => ({
  callId: input.callId,
  input,
  ...(input.takenOver === null ? nothingSaid : saidBefore(input.takenOver)),
  unplayed: [],
});

/** Of a conversation that was taken over: what was left to say, each from its beginning. */
export const unsaidOf = ({ input }: Pick<ConversationContext, 'input'>): readonly string[] =>
  input.takenOver?.conversation.unsaid ?? [];

/** The sentences of the gateway, in the language in which what is said now will be heard. */
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
}: TakenOverCall): Omit<ConversationContext, 'callId' | 'input' | 'unplayed'> => said;
