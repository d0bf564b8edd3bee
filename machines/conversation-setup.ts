/** What the chart of a conversation is made of: its delays, its guards and its actions. */
import { assign, enqueueActions, raise, sendParent, sendTo, setup } from 'xstate';
import type {
  ConversationContext,
  ConversationEvent,
  ConversationInput,
  ConversationMessage,
} from './conversation-context.ts';
import type { CallFact } from './facts.ts';
import { reply, type ReplyEvent } from './reply.ts';
import {
  agentWasHeard,
  hasBegun,
  stillUnanswered,
  withHeard,
  withPlayed,
  withSpoken,
  type Played,
} from './turns.ts';
import type { ResumedAs } from './taken-over.ts';
import { voicemailMachine, type VoicemailEvent } from './voicemail.ts';

export const conversationSetup = setup({
  types: {
    input: {} as ConversationInput,
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
    children: {} as { reply: 'reply'; voicemail: 'voicemail' },
  },
  actors: { reply, voicemail: voicemailMachine },
  delays: {
    silenceTimeout: ({ context }) => context.input.silenceTimeoutSec * 1000,
    /** Speech of which no words have come after this was none: silence is measured by words. */
    longestSpeech: 30_000,
    /** A line that does not tell what came of an onset is not waited for. */
    longestPause: 10_000,
    /** A line that does not report the goodbye is not waited for. */
    longestGoodbye: 120_000,
  },
  guards: {
    agentSpeaksFirst: ({ context }) => context.input.kickoff !== null,
    callerIsGreeted: ({ context }) => context.input.greeting !== null,
    wasReprompted: ({ context }) => context.wasReprompted,
    failedTwice: ({ context }) => context.failuresInARow > 1,
    /** Who was called has heard nothing of who calls, and could repeat nothing. */
    isUnintroduced: ({ context }) => context.input.kickoff !== null && !agentWasHeard(context),
    hasBegun: ({ context }) => hasBegun(context),
    /** Nobody interrupts what it says; where nothing is being said, there is nothing to finish. */
    finishesFirst: ({ context }) => context.input.bargeIn.mode === 'off' && context.unplayed.length > 0,
    isBackchannel: ({ event }) => event.type === 'line.heard' && event.backchannel,
    everythingWasPlayed: ({ context }) => context.unplayed.length === 0,
    /** Not one that was stopped: the line itself is ending then, and says so next. */
    lastHasRunItsCourse: ({ context, event }) =>
      context.unplayed.length === 1 && event.type === 'line.played' && event.whole,
    turnIsOver: ({ context }) => context.spoken !== null && context.unplayed.length === 0,
    isAddressed: ({ context }) => context.unanswered > 0 && context.unplayed.length === 0,
    isTakenOver: ({ context }) => context.input.takenOver !== null,
    interrupts: ({ event }) => event.type === 'say.requested' && event.interrupt,
    nothingIsAsked: ({ context }) => context.asked.length === 0,
    /** The turn before it is over and published. */
    askedMayBeSaid: ({ context: { asked, spoken, unplayed } }) =>
      asked.length > 0 && spoken === null && unplayed.length === 0,
    resumesAs: ({ context }, { as }: { as: ResumedAs }) =>
      context.input.takenOver?.conversation.resumesAs === as,
  },
  actions: {
    publish: (_args, _fact: CallFact) => {
      throw new Error('No "publish" was provided to this machine');
    },
    hear: assign(({ context }, text: string) => ({ ...withHeard(context, text), wasReprompted: false })),
    /** A reply of which nobody has heard a word is asked for once more. */
    takeBackTurn: assign({ unanswered: ({ context }) => stillUnanswered(context) }),
    countTurn: assign({ turn: ({ context }) => context.turn + 1, unanswered: 0 }),
    say: enqueueActions(({ context, enqueue }, texts: readonly string[]) => {
      const { utterance, unplayed } = context;
      enqueue.assign({ utterance: utterance + texts.length, unplayed: [...unplayed, ...texts] });
      for (const [index, text] of texts.entries())
        enqueue.sendParent({ type: 'say', utterance: utterance + index + 1, text });
    }),
    tellCall: sendParent((_, message: ConversationMessage) => message),
    notePlayed: assign(({ context }, played: Played) => withPlayed(context, played)),
    forgetUnplayed: assign({ unplayed: [] }),
    rememberSpoken: assign(({ context }) => ({ messages: withSpoken(context), spoken: null })),
    noteSuccess: assign({ failuresInARow: 0 }),
    noteFailure: assign({ failuresInARow: ({ context }) => context.failuresInARow + 1 }),
    keepAsked: assign({
      asked: ({ context, event }) =>
        event.type === 'say.requested' ? [...context.asked, ...event.sentences] : context.asked,
    }),
    forgetAsked: assign({ asked: [] }),
    noteReprompt: assign({ wasReprompted: true }),
    noteBrokenSilence: assign({ wasReprompted: false }),
    tellVoicemail: sendTo('voicemail', (_, event: VoicemailEvent) => event),
    /** A reply that crashed has failed like any other. */
    failReply: raise({ type: 'reply.failed', failure: 'agent_crashed' } satisfies ReplyEvent),
    /** What is left of it was to come to a process that is no more. */
    loseReply: raise({ type: 'reply.failed', failure: 'gateway_lost' } satisfies ReplyEvent),
  },
});
