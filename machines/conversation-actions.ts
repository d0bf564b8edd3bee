/** Actions of the conversation chart: sentences, messages and published facts. */
import { turnOfKeys, type CollectedKeys } from './collected-keys.ts';
import type { ConsentMeans } from './consent.ts';
import {
  phrasesOf,
  unsaidOf,
  type ConversationContext,
  type ConversationEvent,
} from './conversation-context.ts';
import type { CallFact } from './facts.ts';
import type { LineEventOf } from './line.ts';
import type { ReplyEvent } from './reply.ts';
import type { ResumedAs } from './resume-state.ts';
import { failedTransferTurn, type TransferMessage } from './transfer.ts';
import { hasBegun, type Spoken, type Turns } from './turns.ts';

type Context = { context: Pick<ConversationContext, 'input' | 'language' | 'controls'> };

/** Actions that say sentences of a reply, or the gateway's own. */
export const says = {
  sentence: {
    type: 'say',
    params: ({ event }: { event: Extract<ReplyEvent, { type: 'reply.sentence' }> }) => [event.text],
  },
  greeting: { type: 'say', params: ({ context }: Context) => [context.input.greeting ?? ''] },
  reprompt: { type: 'say', params: ({ context }: Context) => [phrasesOf(context).reprompt] },
  apology: { type: 'say', params: ({ context }: Context) => [phrasesOf(context).apology] },
  brokenOff: { type: 'say', params: ({ context }: Context) => [phrasesOf(context).brokenOff] },
  failedOpening: { type: 'say', params: ({ context }: Context) => [phrasesOf(context).failedOpening] },
  failedGoodbye: { type: 'say', params: ({ context }: Context) => [phrasesOf(context).failedGoodbye] },
  voicemailMessage: { type: 'say', params: ({ context }: Context) => [context.input.voicemailMessage] },
  introduction: { type: 'say', params: ({ context }: Context) => [context.input.introduction] },
  consentAnnouncement: {
    type: 'say',
    params: ({ context }: Context) => [context.input.consent?.announcement ?? ''],
  },
  consentRefused: { type: 'say', params: ({ context }: Context) => [context.input.consentRefused] },
  /** Action that speaks the queued words of programs. */
  asked: {
    type: 'say',
    params: ({ context }: { context: Pick<ConversationContext, 'asked'> }) => context.asked,
  },
  /** Action that speaks the announcement before a transfer rings. */
  announcement: {
    type: 'say',
    params: ({ event }: { event: Extract<TransferMessage, { type: 'transfer.begun' }> }) => event.sentences,
  },
  /** Action that speaks the utterances that were unheard when the call was taken over. */
  unsaid: { type: 'say', params: ({ context }: Context) => unsaidOf(context) },
} as const;

/** Actions that add a user turn, which the agent has to answer. */
export const hears = {
  kickoff: { type: 'hear', params: ({ context }: Context) => context.input.kickoff ?? '' },
  failedTransfer: {
    type: 'hear',
    params: ({
      event,
    }: {
      event: Extract<TransferMessage, { type: 'transfer.over' | 'transfer.refused' }>;
    }) => failedTransferTurn(event),
  },
  words: { type: 'hear', params: ({ event }: { event: LineEventOf<'line.heard'> }) => event.text },
} as const;

export const notesPlayed = {
  type: 'notePlayed',
  params: ({ event }: { event: LineEventOf<'line.played'> }) => event,
} as const;

/** Messages to the call that owns the conversation; utterances are in `says`. */
export const tells = {
  busy: { type: 'tellCall', params: { type: 'agent.busy' } },
  quiet: { type: 'tellCall', params: { type: 'agent.quiet' } },
  failed: { type: 'tellCall', params: { type: 'agent.failed' } },
  silenceLasted: { type: 'tellCall', params: { type: 'silence.lasted' } },
  keysCollected: { type: 'tellCall', params: { type: 'keys.collected' } },
  transferAnnounced: { type: 'tellCall', params: { type: 'transfer.announced' } },
  consentGiven: { type: 'tellCall', params: { type: 'consent.given' } },
  consentRefused: { type: 'tellCall', params: { type: 'consent.refused' } },
  messageLeft: { type: 'tellCall', params: { type: 'message.left' } },
  stopTalking: { type: 'tellCall', params: { type: 'stopTalking' } },
  pauseTalking: { type: 'tellCall', params: { type: 'pauseTalking' } },
  resumeTalking: { type: 'tellCall', params: { type: 'resumeTalking' } },
} as const;

/** Selects the first step of a conversation that was taken over. */
export const resumesAs = (as: ResumedAs) => ({ type: 'resumesAs', params: { as } }) as const;

const heardTurn = ({ at, startedAt, text }: LineEventOf<'line.heard'>): CallFact => ({
  type: 'turn.spoken',
  at: startedAt,
  endedAt: at,
  role: 'user',
  text,
  whole: true,
});

const turnOfPressedKeys = (collected: CollectedKeys | null): CallFact => {
  if (collected === null || collected.startedAt === null || collected.endedAt === null)
    throw new Error('A turn of keys was published of which none was pressed');
  return {
    type: 'turn.spoken',
    at: collected.startedAt,
    endedAt: collected.endedAt,
    role: 'user',
    text: turnOfKeys(collected),
    whole: true,
  };
};

const failedReply = (turns: Turns, event: ConversationEvent): CallFact => {
  if (event.type !== 'reply.failed')
    throw new Error('A failure was published of a reply that has not failed');
  return {
    type: 'reply.failed',
    turn: turns.turn,
    failure: event.failure,
    ...(event.detail === undefined ? {} : { detail: event.detail }),
    ...(hasBegun(turns) ? { begun: true } : {}),
  };
};

/** Creates the fact. A resumption by time-out has no `at`, because the line did not report it. */
const agentResumed = (event: ConversationEvent): CallFact => ({
  type: 'agent.resumed',
  ...(event.type === 'line.no_speech' ? { at: event.at } : {}),
});

const spokenTurn = (spoken: Spoken | null): CallFact => {
  if (spoken === null) throw new Error('A turn of the agent was closed that had not begun');
  const { startedAt, endedAt, text, whole } = spoken;
  return { type: 'turn.spoken', at: startedAt, endedAt, role: 'assistant', text, whole };
};

/** Publishes the consent. Consent by words or a digit has the time of the line's event; a time-out has no time. */
const consent = (given: boolean) => (how: ConsentMeans) =>
  ({
    type: 'publish',
    params: ({ event }: { event: ConversationEvent }): CallFact => ({
      type: 'call.consent',
      given,
      how,
      ...(how !== 'silence' && 'at' in event ? { at: event.at } : {}),
    }),
  }) as const;

export const publishes = {
  consentGiven: consent(true),
  consentNotGiven: consent(false),
  /** Publishes a turn of the other party. */
  heard: {
    type: 'publish',
    params: ({ event }: { event: LineEventOf<'line.heard'> }) => heardTurn(event),
  },
  digit: {
    type: 'publish',
    params: ({ event }: { event: LineEventOf<'line.digit'> }): CallFact => ({
      type: 'turn.digit',
      at: event.at,
      digit: event.digit,
    }),
  },
  /** Publishes the collected digits as a turn of the other party. */
  keys: {
    type: 'publish',
    params: ({ context }: { context: Pick<ConversationContext, 'collected'> }) =>
      turnOfPressedKeys(context.collected),
  },
  paused: {
    type: 'publish',
    params: ({ event }: { event: LineEventOf<'line.onset'> }): CallFact => ({
      type: 'agent.paused',
      at: event.at,
    }),
  },
  resumed: {
    type: 'publish',
    params: ({ event }: { event: ConversationEvent }) => agentResumed(event),
  },
  failed: {
    type: 'publish',
    params: ({ context, event }: { context: Turns; event: ConversationEvent }) => failedReply(context, event),
  },
} as const;

/** Publishes the words of a program that interrupt the agent's words or its pending reply. */
export const saysInstead = {
  guard: 'interrupts',
  target: 'listening',
  actions: ['keepAsked', 'replaceReply', tells.stopTalking],
  description: 'It is said instead.',
} as const;

/** Adds the collected digits as a user turn. */
export const hearsKeys = {
  target: '#conversation.replying',
  actions: [publishes.keys, 'hearKeys', tells.keysCollected],
} as const;

/** Publishes a completed turn of the agent once, in any state of the conversation. */
export const closesTurn = {
  guard: 'turnIsOver',
  actions: [
    { type: 'publish', params: ({ context }: { context: Turns }) => spokenTurn(context.spoken) },
    'rememberSpoken',
  ],
} as const;
