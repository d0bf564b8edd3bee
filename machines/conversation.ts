/**
 * The conversation of one call: who has the floor, what was heard, what was said.
 *
 * Four rules carry the chart:
 * - What counts as said is what was *heard*: only `line.played` adds to the history, never a sentence that was queued.
 * - Leaving `replying` aborts the reply behind it; nothing of an abandoned reply is ever said.
 * - Who has put the call on hold is not there: nothing is said, nothing is heard, and no time of silence runs.
 * - A turn of the agent is over when all its utterances have left the line, wherever the chart is by then; the
 *   interrupted part of a reply is reported by the line a moment after the interruption.
 * - No failure is dead air, nor a line that drops in mid-word: what had come of the reply is said, then an apology that
 *   fits the moment. A first failure is listened after. A second one in a row, and a kickoff of which nobody has heard
 *   anything, end in a goodbye, and the goodbye in the end of the call.
 *
 * It speaks to its call by messages (`say`, `stopTalking`, `agent.*`) and publishes each turn as a fact.
 */
import { assign, raise, sendParent, setup } from 'xstate';
import type { CallFact } from './facts.ts';
import type { LineEvent } from './line.ts';
import { reply, type Message, type ReplyEvent, type ReplyFailure } from './reply.ts';

export type ConversationInput = {
  callId: string;
  /** The first user turn of an outbound call; `null` where the other party speaks first. */
  kickoff: string | null;
  /** What an inbound caller is greeted with; `null` for nothing. */
  greeting: string | null;
  /** Said when a reply failed of which nothing had come. */
  apology: string;
  /** Said when a reply broke off after its first words. */
  brokenOff: string;
  /** Introduces the call, excuses it and says goodbye: for a kickoff that failed. */
  failedOpening: string;
  /** Excuses and says goodbye: for the second failure in a row. */
  failedGoodbye: string;
  /** Said once when nobody spoke for `silenceTimeoutSec`. */
  reprompt: string;
  /** What is said to a machine that takes messages. */
  voicemailMessage: string;
  silenceTimeoutSec: number;
};

/** What the call tells its conversation. */
export type ConversationEvent =
  | LineEvent
  | ReplyEvent
  /** A machine has answered: a message is to be left on it. */
  | { type: 'voicemail.reached' }
  /** The line is being hung up; it may still report what was heard. */
  | { type: 'call.ending' }
  /** The line is gone; nothing more will be reported. */
  | { type: 'call.over' };

/** What the conversation tells its call. */
export type ConversationMessage =
  | { type: 'say'; utterance: number; text: string }
  | { type: 'stopTalking' }
  /** Something is being said, a reply is being produced, or the other party is in the midst of a sentence. */
  | { type: 'agent.busy' }
  /** Nothing is left to say or to answer. */
  | { type: 'agent.quiet' }
  /** Replies have failed, and the goodbye was said. */
  | { type: 'agent.failed' }
  /** Nobody spoke, not even after the reprompt. */
  | { type: 'silence.lasted' }
  /** The whole message was said to the machine. */
  | { type: 'message.left' };

/** What was heard so far of the agent's turn in progress. */
type Spoken = { startedAt: number; endedAt: number; text: string; whole: boolean };

type ConversationContext = ConversationInput & {
  messages: readonly Message[];
  /** Counts replies, from 1. */
  turn: number;
  /** Counts utterances, from 1. */
  utterance: number;
  /** Utterances said and not yet reported by the line. */
  unplayed: number;
  spoken: Spoken | null;
  /** The last message is the other party's and no reply to it was asked for yet. */
  isUnanswered: boolean;
  failuresInARow: number;
  wasReprompted: boolean;
};

/** Speech of which no words have come after this was none: silence is measured by words. */
const longestSpeechMs = 30_000;

/** A line that does not report the goodbye is not waited for. */
const longestGoodbyeMs = 120_000;

/** A machine that never says that it takes a message is told it all the same. */
const longestGreetingMs = 60_000;

const toCall = (message: ConversationMessage): ConversationMessage => message;

const heardTurn = (event: { startedAt: number; at: number; text: string }): CallFact => ({
  type: 'turn.spoken',
  at: event.startedAt,
  endedAt: event.at,
  role: 'user',
  text: event.text,
  whole: true,
});

const spokenTurn = ({ spoken }: { spoken: Spoken | null }): CallFact => {
  if (spoken === null) throw new Error('A turn of the agent was closed that had not begun');
  const { startedAt, endedAt, text, whole } = spoken;
  return { type: 'turn.spoken', at: startedAt, endedAt, role: 'assistant', text, whole };
};

/** Whether something of the reply under way is being said, or was. */
const hasBegun = ({ spoken, unplayed }: ConversationContext): boolean => spoken !== null || unplayed > 0;

const failedReply = (
  context: ConversationContext,
  { failure, detail }: { failure: ReplyFailure; detail?: string },
): CallFact => ({
  type: 'reply.failed',
  turn: context.turn,
  failure,
  ...(detail === undefined ? {} : { detail }),
  ...(hasBegun(context) ? { begun: true } : {}),
});

/** The agent's words stand before those of the other party that cut into them. */
const withSpoken = ({ messages, spoken, isUnanswered }: ConversationContext): readonly Message[] => {
  if (spoken === null) return messages;
  const said: Message = { role: 'assistant', content: spoken.text };
  return isUnanswered ? [...messages.slice(0, -1), said, ...messages.slice(-1)] : [...messages, said];
};

export const conversationMachine = setup({
  types: {
    input: {} as ConversationInput,
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
  },
  actors: { reply },
  delays: {
    silenceTimeout: ({ context }) => context.silenceTimeoutSec * 1000,
    longestSpeech: longestSpeechMs,
    longestGreeting: longestGreetingMs,
    longestGoodbye: longestGoodbyeMs,
  },
  guards: {
    agentSpeaksFirst: ({ context }) => context.kickoff !== null,
    callerIsGreeted: ({ context }) => context.greeting !== null,
    wasReprompted: ({ context }) => context.wasReprompted,
    failedBefore: ({ context }) => context.failuresInARow > 0,
    /** Who was called has heard nothing of who calls. */
    isUnintroduced: ({ context }) =>
      context.kickoff !== null &&
      !hasBegun(context) &&
      context.messages.every(({ role }) => role !== 'assistant'),
    hasBegun: ({ context }) => hasBegun(context),
    isBackchannel: ({ event }) => event.type === 'line.heard' && event.backchannel,
    everythingWasPlayed: ({ context }) => context.unplayed === 0,
    /** Not one that was stopped: the line itself is ending then, and says so next. */
    lastHasRunItsCourse: ({ context, event }) =>
      context.unplayed === 1 && event.type === 'line.played' && event.whole,
    turnIsOver: ({ context }) => context.spoken !== null && context.unplayed === 0,
    isAddressed: ({ context }) => context.isUnanswered && context.unplayed === 0,
  },
  actions: {
    publish: (_args, _fact: CallFact) => {
      throw new Error('No "publish" was provided to this machine');
    },
    takeKickoff: assign(({ context }) => ({
      messages: [{ role: 'user' as const, content: context.kickoff ?? '' }],
    })),
    hear: assign(({ context }, { text }: { text: string }) => ({
      messages: [...context.messages, { role: 'user' as const, content: text }],
      isUnanswered: true,
      wasReprompted: false,
    })),
    /** A reply of which nobody has heard a word is asked for once more. */
    takeBackTurn: assign(({ context }) => ({
      isUnanswered: context.isUnanswered || (context.messages.at(-1)?.role === 'user' && !hasBegun(context)),
    })),
    countTurn: assign({ turn: ({ context }) => context.turn + 1, isUnanswered: false }),
    countUtterance: assign({
      utterance: ({ context }) => context.utterance + 1,
      unplayed: ({ context }) => context.unplayed + 1,
    }),
    say: sendParent(({ context }, { text }: { text: string }) =>
      toCall({ type: 'say', utterance: context.utterance, text }),
    ),
    stopTalking: sendParent(toCall({ type: 'stopTalking' })),
    notePlayed: assign(
      ({ context }, played: { startedAt: number; at: number; text: string; whole: boolean }) => {
        const { spoken } = context;
        const unplayed = Math.max(0, context.unplayed - 1);
        if (played.text === '')
          return { unplayed, spoken: spoken === null ? null : { ...spoken, whole: false } };
        return {
          unplayed,
          spoken: {
            startedAt: spoken?.startedAt ?? played.startedAt,
            endedAt: played.at,
            text: spoken === null ? played.text : `${spoken.text} ${played.text}`,
            whole: (spoken?.whole ?? true) && played.whole,
          },
        };
      },
    ),
    forgetUnplayed: assign({ unplayed: 0 }),
    rememberSpoken: assign(({ context }) => ({ messages: withSpoken(context), spoken: null })),
    noteSuccess: assign({ failuresInARow: 0 }),
    noteFailure: assign({ failuresInARow: ({ context }) => context.failuresInARow + 1 }),
    noteReprompt: assign({ wasReprompted: true }),
    noteBrokenSilence: assign({ wasReprompted: false }),
    reportBusy: sendParent(toCall({ type: 'agent.busy' })),
    reportQuiet: sendParent(toCall({ type: 'agent.quiet' })),
    /** A reply that crashed has failed like any other. */
    failReply: raise({ type: 'reply.failed', failure: 'agent_crashed' } satisfies ReplyEvent),
    reportFailed: sendParent(toCall({ type: 'agent.failed' })),
    reportSilence: sendParent(toCall({ type: 'silence.lasted' })),
    reportLeft: sendParent(toCall({ type: 'message.left' })),
  },
}).createMachine({
  id: 'conversation',
  description: 'Who has the floor, what was heard and what was said.',
  context: ({ input }) => ({
    ...input,
    messages: [],
    turn: 0,
    utterance: 0,
    unplayed: 0,
    spoken: null,
    failuresInARow: 0,
    wasReprompted: false,
    isUnanswered: false,
  }),
  initial: 'opening',
  on: {
    'call.ending': { target: '.closing', description: 'The call is being hung up; nothing new begins.' },
    'voicemail.reached': { target: '.voicemail', description: 'Whatever was being said is cut short.' },
    'call.over': {
      target: '.closing',
      actions: 'forgetUnplayed',
      description: 'What the line has not reported by now was not heard.',
    },
    'line.played': { actions: { type: 'notePlayed', params: ({ event }) => event } },
    'line.digit': {
      actions: {
        type: 'publish',
        params: ({ event }) => ({ type: 'turn.digit', at: event.at, digit: event.digit }),
      },
    },
  },
  states: {
    opening: {
      description: 'The call was just answered; decides who speaks first.',
      always: [
        { guard: 'agentSpeaksFirst', target: 'replying', actions: 'takeKickoff' },
        {
          guard: 'callerIsGreeted',
          target: 'prompting',
          actions: [
            'countUtterance',
            { type: 'say', params: ({ context }) => ({ text: context.greeting ?? '' }) },
          ],
        },
        { target: 'listening' },
      ],
    },
    listening: {
      description: 'The floor is free; the other party may speak.',
      always: [
        {
          guard: 'turnIsOver',
          actions: [{ type: 'publish', params: ({ context }) => spokenTurn(context) }, 'rememberSpoken'],
        },
        { guard: 'isAddressed', target: 'replying' },
      ],
      initial: 'silent',
      on: {
        'line.held': 'on-hold',
        'line.heard': {
          actions: [
            { type: 'publish', params: ({ event }) => heardTurn(event) },
            { type: 'hear', params: ({ event }) => event },
          ],
        },
      },
      states: {
        silent: {
          description: 'Nobody speaks.',
          entry: 'reportQuiet',
          after: {
            silenceTimeout: [
              { guard: 'wasReprompted', target: '#conversation.closing', actions: 'reportSilence' },
              {
                target: '#conversation.prompting',
                actions: [
                  'noteReprompt',
                  'countUtterance',
                  { type: 'say', params: ({ context }) => ({ text: context.reprompt }) },
                ],
              },
            ],
          },
          on: { 'line.speech': 'hearing' },
        },
        hearing: {
          description: 'The other party speaks, however long; its words are awaited.',
          entry: 'reportBusy',
          after: { longestSpeech: { target: 'silent', description: 'No words came of it.' } },
          on: { 'line.speech': { target: 'hearing', reenter: true } },
        },
      },
    },
    replying: {
      description: 'The agent has the floor: its reply is produced and said.',
      entry: ['countTurn', 'reportBusy'],
      invoke: {
        src: 'reply',
        id: 'reply',
        input: ({ context }) => ({ callId: context.callId, turn: context.turn, messages: context.messages }),
        onError: { actions: 'failReply' },
      },
      initial: 'thinking',
      on: {
        'line.held': { target: 'on-hold', actions: 'takeBackTurn' },
        'line.speech': { target: 'listening.hearing', actions: 'stopTalking' },
        'line.heard': [
          {
            guard: 'isBackchannel',
            actions: { type: 'publish', params: ({ event }) => heardTurn(event) },
            description: '"Uh-huh" does not take the floor.',
          },
          {
            target: 'listening.hearing',
            actions: [
              'stopTalking',
              { type: 'publish', params: ({ event }) => heardTurn(event) },
              { type: 'hear', params: ({ event }) => event },
            ],
          },
        ],
        'reply.sentence': {
          target: '.speaking',
          actions: ['countUtterance', { type: 'say', params: ({ event }) => ({ text: event.text }) }],
        },
        'reply.failed': [
          {
            guard: 'failedBefore',
            target: 'parting',
            actions: [
              { type: 'publish', params: ({ context, event }) => failedReply(context, event) },
              'noteFailure',
              'countUtterance',
              { type: 'say', params: ({ context }) => ({ text: context.failedGoodbye }) },
            ],
            description: 'The second failure in a row.',
          },
          {
            guard: 'isUnintroduced',
            target: 'parting',
            actions: [
              { type: 'publish', params: ({ context, event }) => failedReply(context, event) },
              'noteFailure',
              'countUtterance',
              { type: 'say', params: ({ context }) => ({ text: context.failedOpening }) },
            ],
            description: 'Nobody could repeat what was never said.',
          },
          {
            guard: 'hasBegun',
            target: 'prompting',
            actions: [
              { type: 'publish', params: ({ context, event }) => failedReply(context, event) },
              'noteFailure',
              'countUtterance',
              { type: 'say', params: ({ context }) => ({ text: context.brokenOff }) },
            ],
            description: 'Its first words are said to their end before the apology.',
          },
          {
            target: 'prompting',
            actions: [
              { type: 'publish', params: ({ context, event }) => failedReply(context, event) },
              'noteFailure',
              'countUtterance',
              { type: 'say', params: ({ context }) => ({ text: context.apology }) },
            ],
            description: 'The other party may say it again.',
          },
        ],
      },
      states: {
        thinking: {
          description: 'The reply was asked for; nothing of it has come yet.',
          on: {
            'reply.finished': {
              target: '#conversation.listening',
              actions: 'noteSuccess',
              description: 'The agent chose silence.',
            },
          },
        },
        speaking: {
          description: 'Sentences are said while more of the reply may come.',
          on: {
            'reply.finished': [
              { guard: 'everythingWasPlayed', target: '#conversation.listening', actions: 'noteSuccess' },
              { target: 'finishing', actions: 'noteSuccess' },
            ],
          },
        },
        finishing: {
          description: 'The reply is complete; the rest of it is being played.',
          on: {
            'line.played': [
              {
                guard: 'lastHasRunItsCourse',
                target: '#conversation.listening',
                actions: { type: 'notePlayed', params: ({ event }) => event },
              },
              { actions: { type: 'notePlayed', params: ({ event }) => event } },
            ],
          },
        },
      },
    },
    prompting: {
      description: 'The gateway itself says a sentence: greeting, apology or reprompt.',
      entry: 'reportBusy',
      on: {
        'line.held': 'on-hold',
        'line.speech': { target: 'listening.hearing', actions: 'stopTalking' },
        'line.heard': [
          {
            guard: 'isBackchannel',
            actions: [{ type: 'publish', params: ({ event }) => heardTurn(event) }, 'noteBrokenSilence'],
            description: 'It does not take the floor, but somebody is there.',
          },
          {
            target: 'listening.hearing',
            actions: [
              'stopTalking',
              { type: 'publish', params: ({ event }) => heardTurn(event) },
              { type: 'hear', params: ({ event }) => event },
            ],
          },
        ],
        'line.played': [
          {
            guard: 'lastHasRunItsCourse',
            target: 'listening',
            actions: { type: 'notePlayed', params: ({ event }) => event },
          },
          { actions: { type: 'notePlayed', params: ({ event }) => event } },
        ],
      },
    },
    'on-hold': {
      description: 'The other party is not there; the agent waits, however long, and what comes is music.',
      entry: ['reportBusy', 'stopTalking'],
      always: {
        guard: 'turnIsOver',
        actions: [{ type: 'publish', params: ({ context }) => spokenTurn(context) }, 'rememberSpoken'],
      },
      on: { 'line.resumed': { target: 'listening', actions: 'noteBrokenSilence' } },
    },
    parting: {
      description: 'Replies have failed; what is queued and a goodbye are heard before the call ends.',
      entry: 'reportBusy',
      after: { longestGoodbye: { target: 'closing', actions: 'reportFailed' } },
      on: {
        'line.heard': {
          actions: { type: 'publish', params: ({ event }) => heardTurn(event) },
          description: 'It is written down; nobody is left to answer it.',
        },
        'line.played': [
          {
            guard: 'lastHasRunItsCourse',
            target: 'closing',
            actions: [{ type: 'notePlayed', params: ({ event }) => event }, 'reportFailed'],
          },
          { actions: { type: 'notePlayed', params: ({ event }) => event } },
        ],
      },
    },
    voicemail: {
      description: 'A machine listens: nobody takes turns with it, and one message is said to it whole.',
      entry: ['reportBusy', 'stopTalking'],
      always: {
        guard: 'turnIsOver',
        actions: [{ type: 'publish', params: ({ context }) => spokenTurn(context) }, 'rememberSpoken'],
      },
      initial: 'awaiting-beep',
      on: {
        'line.heard': { actions: { type: 'publish', params: ({ event }) => heardTurn(event) } },
        'line.takes_message': {
          target: '.leaving-message',
          description: 'What was said before this moment is not on the machine, so it is said again.',
        },
      },
      states: {
        'awaiting-beep': {
          description: 'The machine says its greeting; nothing is said into it.',
          after: { longestGreeting: { target: 'leaving-message' } },
        },
        'leaving-message': {
          description: 'The message is being said.',
          entry: [
            'stopTalking',
            'countUtterance',
            { type: 'say', params: ({ context }) => ({ text: context.voicemailMessage }) },
          ],
          on: {
            'line.played': [
              {
                guard: 'lastHasRunItsCourse',
                target: '#conversation.closing',
                actions: [{ type: 'notePlayed', params: ({ event }) => event }, 'reportLeft'],
              },
              { actions: { type: 'notePlayed', params: ({ event }) => event } },
            ],
          },
        },
      },
    },
    closing: {
      description: 'The call is ending; what was still heard of the agent is written down.',
      entry: 'reportQuiet',
      always: {
        guard: 'turnIsOver',
        actions: [{ type: 'publish', params: ({ context }) => spokenTurn(context) }, 'rememberSpoken'],
      },
    },
  },
});
