/** Delays, guards and actions of the conversation chart. */
import { assign, enqueueActions, raise, sendParent, sendTo, setup } from 'xstate';
import type {
  ConversationContext,
  ConversationEvent,
  ConversationInput,
  ConversationMessage,
} from './conversation-context.ts';
import { withAsked } from './asked-words.ts';
import { assentOf, type Assent } from './assent.ts';
import { noKeysYet, turnOfKeys, withKey } from './collected-keys.ts';
import { agreeingKey } from './consent.ts';
import { languageAfter, languageBehind, requestsOf, secretWanted, withHeardUtterance } from './control.ts';
import type { CallFact } from './facts.ts';
import { reply, type ReplyEvent } from './reply.ts';
import {
  agentWasHeard,
  hasBegun,
  stillUnanswered,
  withHeard,
  withPlayed,
  withSpoken,
  type UtteranceReport,
} from './turns.ts';
import type { ResumedAs } from './resume-state.ts';
import { voicemailMachine, type VoicemailEvent } from './voicemail.ts';

const answerTo = ({ input }: ConversationContext, event: ConversationEvent): Assent | null =>
  input.consent !== null && event.type === 'line.heard' ? assentOf(event.text, input.consent.language) : null;

export const conversationSetup = setup({
  types: {
    input: {} as ConversationInput,
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
    children: {} as { reply: 'reply'; voicemail: 'voicemail' },
  },
  actors: { reply, voicemail: voicemailMachine },
  delays: {
    keysTimeout: ({ context }) => (context.collected?.wanted.timeoutSec ?? 0) * 1000,
    silenceTimeout: ({ context }) => context.input.silenceTimeoutSec * 1000,
    /** Time after which speech without words is treated as noise, because silence is measured by words. */
    longestSpeech: 30_000,
    /** Time limit for the result of an onset, in case the line does not report it. */
    longestPause: 10_000,
    /**
     * Waiting time after take-over: for the detection of a voice that is still speaking, and for the recognition of its
     * words.
     */
    lostWordsWait: 1_000,
    lostSpeechWait: 10_000,
    /** Time to wait for the first word or digit of the consent answer. */
    consentWait: 10_000,
    /** Time after which call screening is answered if the end of its question was not detected. */
    longestQuestion: 15_000,
    /** Time to wait for a person after call screening. */
    screeningWait: 60_000,
    /** Time limit for the goodbye, in case the line does not report its end. */
    longestGoodbye: 120_000,
  },
  guards: {
    agentSpeaksFirst: ({ context }) => context.input.kickoff !== null,
    callerIsGreeted: ({ context }) => context.input.greeting !== null,
    mustConsent: ({ context }) => context.input.consent !== null,
    beingToldIsEnough: ({ context }) => context.input.consent?.requirement === 'none',
    answersByKey: ({ context }) => context.input.consent?.requirement === 'key',
    saysYes: ({ context, event }) => answerTo(context, event) === 'yes',
    saysNo: ({ context, event }) => answerTo(context, event) === 'no',
    pressesYes: ({ event }) => event.type === 'line.digit' && event.digit === agreeingKey,
    wasReprompted: ({ context }) => context.wasReprompted,
    failedTwice: ({ context }) => context.failuresInARow > 1,
    /**
     * Whether an outbound call still lacks an introduction. A callee who has heard no introduction could not repeat the
     * words that were lost.
     */
    isUnintroduced: ({ context }) => context.input.kickoff !== null && !agentWasHeard(context),
    hasBegun: ({ context }) => hasBegun(context),
    /**
     * Whether the agent's words are played to the end before the other party is answered, because barge-in is off and
     * words are unplayed.
     */
    finishesFirst: ({ context }) => context.input.bargeIn.mode === 'off' && context.unplayed.length > 0,
    /** Whether these words began during the hold. The other party spoke only those that began before. */
    beganOnHold: ({ context: { heldSince }, event }) =>
      event.type === 'line.heard' && (heldSince === null || event.startedAt >= heldSince),
    isBackchannel: ({ event }) => event.type === 'line.heard' && event.backchannel,
    everythingWasPlayed: ({ context }) => context.unplayed.length === 0,
    /**
     * Whether the last unplayed utterance was played completely. A stopped utterance does not count, because the line
     * is then ending and reports its end next.
     */
    lastHasRunItsCourse: ({ context, event }) =>
      context.unplayed.length === 1 && event.type === 'line.played' && event.whole,
    /**
     * Whether the whole announcement was heard. An utterance whose synthesis has failed has left the line as well, with
     * the words that were spoken.
     */
    announcementWasHeard: ({ context, event }) =>
      context.unplayed.length === 1 &&
      event.type === 'line.played' &&
      event.whole &&
      event.text === context.input.consent?.announcement,
    wasUnheardTwice: ({ context }) => context.unplayed.length === 1 && context.wasReprompted,
    /** Whether the last unplayed utterance has left the line, played or stopped. */
    lastHasLeft: ({ context }) => context.unplayed.length === 1,
    turnIsOver: ({ context }) => context.spoken !== null && context.unplayed.length === 0,
    isAddressed: ({ context }) => context.unanswered > 0 && context.unplayed.length === 0,
    mustStillConsent: ({ event }) => event.type === 'screening.over' && event.consentIsAwaited,
    isTakenOver: ({ context }) => context.input.takenOver !== null,
    interrupts: ({ event }) => event.type === 'say.requested' && event.interrupt,
    /**
     * Whether the other party is owed nothing: no words of a program, no wait for digits, no reply. A reply is owed once
     * the agent's previous turn is over and published.
     */
    nothingIsOwed: ({ context: { asked, collected, unanswered, isReplyOwed, spoken, unplayed } }) =>
      asked.length === 0 &&
      collected === null &&
      !isReplyOwed &&
      (unplayed.length > 0 || (spoken === null && unanswered === 0)),
    /** Whether the aborted reply is requested again, because the line has reported that no word of it was audible. */
    replyIsOwed: ({ context: { isReplyOwed, spoken, unplayed } }) =>
      isReplyOwed && spoken === null && unplayed.length === 0,
    waitsForKeys: ({ context: { asked, collected } }) => asked.length === 0 && collected?.areAll === false,
    /**
     * Whether the collected digits may become a turn, because the entry is complete and the agent's previous turn is
     * over and published.
     */
    keysMayBeHeard: ({ context: { collected, spoken, unplayed } }) =>
      collected?.areAll === true && spoken === null && unplayed.length === 0,
    someKeyWasPressed: ({ context }) => context.collected !== null && context.collected.startedAt !== null,
    /** Whether the words of a program may be spoken, because the agent's previous turn is over and published. */
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
    /** Gives up the pending reply for the words of a program. A reply without queued words is requested behind them. */
    replaceReply: assign(({ context }) => ({ unanswered: stillUnanswered(context), isReplyOwed: false })),
    countTurn: assign({ turn: ({ context }) => context.turn + 1, unanswered: 0, isReplyOwed: true }),
    say: enqueueActions(({ context, enqueue }, texts: readonly string[]) => {
      const { utterance, unplayed, controls } = context;
      enqueue.assign({ utterance: utterance + texts.length, unplayed: [...unplayed, ...texts] });
      for (const [index, text] of texts.entries()) {
        const language = languageBehind(controls, unplayed.length + index + 1);
        const say = { type: 'say', utterance: utterance + index + 1, text } as const;
        enqueue.sendParent(language === null ? say : { ...say, language });
      }
    }),
    tellCall: sendParent((_, message: ConversationMessage) => message),
    notePlayed: enqueueActions(({ context, enqueue }, played: UtteranceReport) => {
      const { due, waiting } = withHeardUtterance(context.controls, played);
      const language = languageAfter(due, context.language);
      const isReplyOwed = context.isReplyOwed && !played.whole && played.text === '';
      enqueue.assign({ ...withPlayed(context, played), controls: waiting, language, isReplyOwed });
      for (const request of requestsOf(due, context.messages)) enqueue.sendParent(request);
      const wasAwaited = secretWanted(context) !== null;
      const isAwaited = secretWanted({ ...context, controls: waiting }) !== null;
      if (wasAwaited && !isAwaited && due.length === 0) enqueue.sendParent({ type: 'secret.dropped' });
    }),
    /** Executes a control at once if all utterances before it were heard. */
    takeControl: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'reply.control') return;
      const { unplayed, controls, messages } = context;
      const { control } = event;
      if (unplayed.length === 0) {
        enqueue.assign({ language: languageAfter([control], context.language) });
        for (const request of requestsOf([control], messages)) enqueue.sendParent(request);
        return;
      }
      enqueue.assign({ controls: [...controls, { behind: unplayed.length, control }] });
      if (control.act === 'collect_keys' && control.wanted.secret)
        enqueue.sendParent({ type: 'secret.awaited', wanted: control.wanted });
    }),
    forgetUnplayed: assign({ unplayed: [], controls: [] }),
    rememberSpoken: assign(({ context }) => ({ messages: withSpoken(context), spoken: null })),
    /** Notes the end of a reply. If no words of it are left to be heard, it is answered: the agent may choose silence. */
    noteSuccess: assign(({ context }) => ({
      failuresInARow: 0,
      isReplyOwed: context.isReplyOwed && context.unplayed.length > 0,
    })),
    noteFailure: assign({ failuresInARow: ({ context }) => context.failuresInARow + 1 }),
    keepAsked: assign({
      asked: ({ context, event }) =>
        event.type === 'say.requested' ? withAsked(context.asked, event.sentences) : context.asked,
    }),
    /** Clears the history of call screening, because the conversation starts again for the person who follows. */
    forgetScreening: assign(({ context: { input } }) => ({
      messages: input.kickoff === null ? [] : [{ role: 'user' as const, content: input.kickoff }],
      unanswered: 0,
      isReplyOwed: false,
      failuresInARow: 0,
    })),
    forgetConsent: assign({ messages: [], wasReprompted: false }),
    forgetAsked: assign({ asked: [] }),
    wantKeys: assign({
      collected: ({ context, event }) =>
        event.type === 'collect.requested' ? noKeysYet(event.wanted) : context.collected,
    }),
    keepKey: assign({
      collected: ({ context: { collected }, event }) =>
        collected === null || collected.areAll || event.type !== 'line.digit'
          ? collected
          : withKey(collected, event),
    }),
    hearKeys: assign(({ context }) =>
      context.collected === null
        ? {}
        : { ...withHeard(context, turnOfKeys(context.collected)), collected: null, wasReprompted: false },
    ),
    noteHold: assign({
      heldSince: ({ context, event }) => (event.type === 'line.held' ? event.at : context.heldSince),
    }),
    noteReprompt: assign({ wasReprompted: true }),
    noteBrokenSilence: assign({ wasReprompted: false }),
    tellVoicemail: sendTo('voicemail', (_, event: VoicemailEvent) => event),
    /** Counts a crashed reply as a failed one. */
    failReply: raise({ type: 'reply.failed', failure: 'agent_crashed' } satisfies ReplyEvent),
    /** Fails a reply whose rest was sent to a process that no longer exists. */
    loseReply: raise({ type: 'reply.failed', failure: 'gateway_lost' } satisfies ReplyEvent),
  },
});
