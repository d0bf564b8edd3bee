/** The sentences, messages and facts of a conversation, as the actions that its arrows name. */
import { unsaidOf, type ConversationContext, type ConversationEvent } from './conversation-context.ts';
import type { CallFact } from './facts.ts';
import type { LineEventOf } from './line.ts';
import type { ReplyEvent } from './reply.ts';
import type { ResumedAs } from './taken-over.ts';
import { hasBegun, type Spoken, type Turns } from './turns.ts';

type Context = { context: Pick<ConversationContext, 'input'> };

/** The sentences of a reply, and those that the gateway has of its own. */
export const says = {
  sentence: {
    type: 'say',
    params: ({ event }: { event: Extract<ReplyEvent, { type: 'reply.sentence' }> }) => [event.text],
  },
  greeting: { type: 'say', params: ({ context }: Context) => [context.input.greeting ?? ''] },
  reprompt: { type: 'say', params: ({ context }: Context) => [context.input.reprompt] },
  apology: { type: 'say', params: ({ context }: Context) => [context.input.apology] },
  brokenOff: { type: 'say', params: ({ context }: Context) => [context.input.brokenOff] },
  failedOpening: { type: 'say', params: ({ context }: Context) => [context.input.failedOpening] },
  failedGoodbye: { type: 'say', params: ({ context }: Context) => [context.input.failedGoodbye] },
  voicemailMessage: { type: 'say', params: ({ context }: Context) => [context.input.voicemailMessage] },
  /** The words of a program. */
  asked: {
    type: 'say',
    params: ({ context }: { context: Pick<ConversationContext, 'asked'> }) => context.asked,
  },
  /** Of a call that was taken over. */
  unsaid: { type: 'say', params: ({ context }: Context) => unsaidOf(context) },
} as const;

/** Words for the agent to answer. */
export const hears = {
  kickoff: { type: 'hear', params: ({ context }: Context) => context.input.kickoff ?? '' },
  words: { type: 'hear', params: ({ event }: { event: LineEventOf<'line.heard'> }) => event.text },
} as const;

export const notesPlayed = {
  type: 'notePlayed',
  params: ({ event }: { event: LineEventOf<'line.played'> }) => event,
} as const;

/** Messages to the call, about the conversation and for the voice; utterances go with `says`. */
export const tells = {
  busy: { type: 'tellCall', params: { type: 'agent.busy' } },
  quiet: { type: 'tellCall', params: { type: 'agent.quiet' } },
  failed: { type: 'tellCall', params: { type: 'agent.failed' } },
  silenceLasted: { type: 'tellCall', params: { type: 'silence.lasted' } },
  messageLeft: { type: 'tellCall', params: { type: 'message.left' } },
  stopTalking: { type: 'tellCall', params: { type: 'stopTalking' } },
  pauseTalking: { type: 'tellCall', params: { type: 'pauseTalking' } },
  resumeTalking: { type: 'tellCall', params: { type: 'resumeTalking' } },
} as const;

/** A call that was taken over goes on with this. */
export const resumesAs = (as: ResumedAs) => ({ type: 'resumesAs', params: { as } }) as const;

const heardTurn = ({ at, startedAt, text }: LineEventOf<'line.heard'>): CallFact => ({
  type: 'turn.spoken',
  at: startedAt,
  endedAt: at,
  role: 'user',
  text,
  whole: true,
});

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

/** A pause that has lasted too long ends at no moment that the line tells. */
const agentResumed = (event: ConversationEvent): CallFact => ({
  type: 'agent.resumed',
  ...(event.type === 'line.no_speech' ? { at: event.at } : {}),
});

const spokenTurn = (spoken: Spoken | null): CallFact => {
  if (spoken === null) throw new Error('A turn of the agent was closed that had not begun');
  const { startedAt, endedAt, text, whole } = spoken;
  return { type: 'turn.spoken', at: startedAt, endedAt, role: 'assistant', text, whole };
};

export const publishes = {
  /** A turn of the other party. */
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

/** A turn of the agent that is over is published once, wherever the conversation is. */
export const closesTurn = {
  guard: 'turnIsOver',
  actions: [
    { type: 'publish', params: ({ context }: { context: Turns }) => spokenTurn(context.spoken) },
    'rememberSpoken',
  ],
} as const;
