/**
 * The life of one call. Its top-level state is the status that the API shows.
 *
 * - `talking` is all that concerns a call whose end is not decided yet: what is said, asked or lost after that comes too
 *   late, for nothing outside of `talking` listens to it. The maximum duration counts in it, from the answer.
 * - `hangup-pending` is inside `talking`: as a sibling, entering it would restart the conversation and the duration
 *   limit, and there would be no way back.
 * - The first cause wins: a reason is never overwritten, so whatever happens while a call is being ended
 *   cannot change why it ended. Every end passes through `over`, which publishes it and decides the status.
 * - A call touches the world through its `line` (closed with the call, which hangs up whatever still stands), the
 *   replies of its conversation, and `publish`.
 */
import { assign, enqueueActions, raise, sendTo, setup } from 'xstate';
import { ends, notesLastWord, publishes, tells } from './call-actions.ts';
import {
  contextOf,
  firstCause,
  lastWords,
  lineInput,
  outputOf,
  type CallContext,
  type CallMachineEvent,
  type CallInput,
  type CallOutput,
  type LastWord,
} from './call-context.ts';
import { conversationMachine } from './conversation.ts';
import type { ConversationEvent } from './conversation-context.ts';
import type { CallFact } from './facts.ts';
import { line, type AnsweredBy, type LineCommand } from './line.ts';
import type { EndReason } from './outcome.ts';

export const callMachine = setup({
  types: {
    input: {} as CallInput,
    context: {} as CallContext,
    events: {} as CallMachineEvent,
    output: {} as CallOutput,
    tags: {} as 'ringing' | 'talking' | 'taken-over',
  },
  actors: { line, conversation: conversationMachine },
  delays: {
    ringTimeout: ({ context }) => context.input.ringTimeoutSec * 1000,
    maxDuration: ({ context }) => context.input.maxDurationSec * 1000,
    farewellWait: ({ context }) => context.input.farewellWaitMs,
    hangUpTimeout: ({ context }) => context.input.hangUpTimeoutMs,
    adoptTimeout: ({ context }) => context.input.adoptTimeoutMs,
  },
  guards: {
    isTakenOver: ({ context }) => context.input.takenOver !== null,
    wasBeingEnded: ({ context }) => context.endReason !== null,
    hangupIsPending: ({ context }) => context.hangupIsPending,
    wasLeavingMessage: ({ context }) => context.input.takenOver?.conversation.resumesAs === 'voicemail',
    otherPartyLeft: ({ event }) => event.type === 'line.ended' && event.by === 'counterparty',
    isImmediate: ({ event }) => event.type === 'hangup.requested' && event.immediate,
    waitsForFarewell: ({ event }) => event.type === 'hangup.requested' && !event.immediate,
    isBackchannel: ({ event }) => event.type === 'line.heard' && event.backchannel,
    /** Who has called us is no question. */
    isToBeTold: ({ context }) => context.input.direction === 'outbound' && context.answeredBy === null,
    hangsUpOnMachine: ({ context }) =>
      context.answeredBy === 'machine' && context.input.voicemail === 'hang_up',
    leavesMessage: ({ context }) =>
      context.answeredBy === 'machine' && context.input.voicemail === 'leave_message',
    isRecording: ({ context }) => context.input.recording && !context.recordingIsPaused,
    recordingIsPaused: ({ context }) => context.recordingIsPaused,
    farewellIsOver: ({ context }) => !context.agentIsBusy,
    nobodyPickedUp: ({ context }) => outputOf(context).status === 'no_answer',
    somethingBroke: ({ context }) => outputOf(context).status === 'failed',
  },
  actions: {
    publish: (_args, _fact: CallFact) => {
      throw new Error('No "publish" was provided to this machine');
    },
    end: assign(({ context }, cause: EndReason) => ({ endReason: firstCause(context, cause) })),
    noteLastWord: assign((_, word: LastWord) => lastWords(word)),
    noteHangupPending: assign({ hangupIsPending: true }),
    noteUnseen: assign({ endWasSeen: false }),
    noteAnswered: assign({ wasAnswered: true }),
    noteAnsweredBy: assign((_, { by }: { by: AnsweredBy }) => ({ answeredBy: by })),
    decideByAnswerer: raise({ type: 'answerer.known' }),
    noteBusy: assign({ agentIsBusy: true }),
    noteQuiet: assign({ agentIsBusy: false }),
    notePaused: assign({ recordingIsPaused: true }),
    noteResumed: assign({ recordingIsPaused: false }),
    /** Of a recording that was paused before nothing more is kept. */
    goOn: enqueueActions(({ context, event, enqueue }) => {
      if (context.recordingIsPaused) enqueue.sendTo('line', { type: 'pauseRecording' } satisfies LineCommand);
      enqueue.sendTo('conversation', event);
    }),
    tellLine: sendTo('line', (_, command: LineCommand) => command),
    tellConversation: sendTo('conversation', (_, event: ConversationEvent) => event),
    forwardToConversation: sendTo('conversation', ({ event }) => event),
  },
}).createMachine({
  id: 'call',
  description: 'The life of one call, from dialing or arrival to its end.',
  context: ({ input }) => contextOf(input),
  output: ({ context }) => outputOf(context),
  invoke: {
    src: 'line',
    id: 'line',
    input: ({ context }) => lineInput(context),
    onError: { target: '.over', actions: ends.forFault, description: 'The line itself crashed.' },
  },
  initial: 'ringing',
  states: {
    ringing: {
      description: 'The far end rings, or an accepted caller is about to be answered.',
      tags: 'ringing',
      initial: 'alerting',
      states: {
        alerting: {
          description: 'Nobody has answered yet.',
          always: { guard: 'isTakenOver', target: '#call.active.taking-over' },
          after: { ringTimeout: { target: 'cancelling', actions: ends.unanswered } },
          on: {
            'line.answered': { target: '#call.active', actions: ['noteAnswered', publishes.answered] },
            'line.unanswered': { target: '#call.over', actions: [ends.unconnected, notesLastWord] },
            'cancel.requested': { target: 'cancelling', actions: ends.cancelled },
            'gateway.closing': { target: 'cancelling', actions: ends.forFault },
          },
        },
        cancelling: {
          description:
            'The call is given up, and an answer comes too late; the line says what has become of it.',
          entry: tells.hangUp,
          on: { 'line.unanswered': { target: '#call.over', actions: notesLastWord } },
          after: {
            hangUpTimeout: { target: '#call.over', description: 'The line says nothing; it is given up.' },
          },
        },
      },
    },
    active: {
      description: 'The other party has answered; the conversation runs.',
      initial: 'talking',
      invoke: {
        src: 'conversation',
        id: 'conversation',
        input: ({ context }) => context.input,
        onError: { target: '.ending', actions: ends.forFault, description: 'The conversation crashed.' },
      },
      on: {
        'line.played': { actions: 'forwardToConversation' },
        'line.digit': { actions: 'forwardToConversation' },
        'agent.busy': { actions: 'noteBusy' },
        'agent.quiet': { actions: 'noteQuiet' },
        'recording.pause_requested': {
          guard: 'isRecording',
          actions: ['notePaused', tells.pauseRecording, publishes.recordingPaused],
          description: 'Asked for again while it is paused, it is paused already.',
        },
        'recording.resume_requested': {
          guard: 'recordingIsPaused',
          actions: ['noteResumed', tells.resumeRecording, publishes.recordingResumed],
        },
        stopTalking: { actions: { type: 'tellLine', params: ({ event }) => event } },
        pauseTalking: { actions: { type: 'tellLine', params: ({ event }) => event } },
        resumeTalking: { actions: { type: 'tellLine', params: ({ event }) => event } },
        'line.one_way': { actions: publishes.oneWay },
      },
      states: {
        'taking-over': {
          description:
            'Another process held the call; its line is being connected, and the line is told nothing yet.',
          tags: 'taken-over',
          after: { adoptTimeout: { target: 'ending', actions: [ends.forFault, 'noteUnseen'] } },
          on: {
            'line.adopted': [
              { guard: 'wasBeingEnded', target: 'ending', actions: publishes.takenOver },
              {
                guard: 'hangupIsPending',
                target: 'talking.hangup-pending',
                actions: [publishes.takenOver, 'goOn'],
              },
              {
                guard: 'wasLeavingMessage',
                target: 'talking.leaving-message',
                actions: [publishes.takenOver, 'goOn'],
              },
              { target: 'talking', actions: [publishes.takenOver, 'goOn'] },
            ],
            'line.ended': [
              { guard: 'otherPartyLeft', target: 'hung-up', actions: [ends.byCounterparty, notesLastWord] },
              {
                target: 'hung-up',
                actions: [ends.forFault, notesLastWord, 'noteUnseen'],
                description: 'It could not be connected.',
              },
            ],
            'line.failed': { target: 'ending', actions: [ends.forFault, 'noteUnseen'] },
            'gateway.closing': { target: 'ending', actions: [ends.forFault, 'noteUnseen'] },
            'hangup.requested': [
              {
                guard: 'isImmediate',
                actions: [publishes.hangupRequested, ends.byAgent],
                description: 'It is hung up as soon as it can be.',
              },
              { actions: [publishes.hangupRequested, 'noteHangupPending'] },
            ],
          },
        },
        talking: {
          description: 'The end of the call is not decided yet.',
          tags: 'talking',
          initial: 'conversing',
          after: { maxDuration: { target: 'ending', actions: ends.forDuration } },
          on: {
            'line.ended': { target: 'hung-up', actions: [ends.byCounterparty, notesLastWord] },
            'line.failed': { target: 'ending', actions: ends.forMedia },
            'line.answered_by': {
              guard: 'isToBeTold',
              actions: [
                { type: 'noteAnsweredBy', params: ({ event }) => event },
                publishes.answeredBy,
                'decideByAnswerer',
              ],
            },
            'answerer.known': [
              { guard: 'hangsUpOnMachine', target: 'ending', actions: ends.byAgent },
              { guard: 'leavesMessage', target: '.leaving-message' },
            ],
            'line.held': { actions: [publishes.held, 'forwardToConversation'] },
            'line.resumed': { actions: [publishes.resumed, 'forwardToConversation'] },
            'line.one_way': { actions: publishes.oneWay },
            'line.*': { actions: 'forwardToConversation' },
            'agent.failed': { target: 'ending', actions: ends.forAgent },
            'silence.lasted': { target: 'ending', actions: ends.forSilence },
            'gateway.closing': { target: 'ending', actions: ends.forFault },
            'hangup.requested': {
              guard: 'isImmediate',
              target: 'ending',
              actions: [publishes.hangupRequested, ends.byAgent],
            },
            'keys.requested': {
              actions: [
                publishes.keysPressed,
                { type: 'tellLine', params: ({ event }) => ({ type: 'press', keys: event.keys }) },
              ],
            },
            'say.requested': { actions: [publishes.sayRequested, 'forwardToConversation'] },
            say: { actions: { type: 'tellLine', params: ({ event }) => event } },
          },
          states: {
            conversing: {
              description: 'Both parties talk.',
              on: {
                'hangup.requested': {
                  guard: 'waitsForFarewell',
                  target: 'hangup-pending',
                  actions: publishes.hangupRequested,
                },
              },
            },
            'hangup-pending': {
              description: 'The agent asked to hang up; its farewell is heard to the end first.',
              entry: tells.expectHangup,
              always: { guard: 'farewellIsOver', target: '#call.active.ending', actions: ends.byAgent },
              after: { farewellWait: { target: '#call.active.ending', actions: ends.byAgent } },
              on: {
                'line.speech': {
                  target: 'conversing',
                  actions: [publishes.hangupCancelled, 'forwardToConversation'],
                  description: 'The other party speaks into the farewell: the call goes on.',
                },
                'line.heard': [
                  { guard: 'isBackchannel', actions: 'forwardToConversation' },
                  { target: 'conversing', actions: [publishes.hangupCancelled, 'forwardToConversation'] },
                ],
              },
            },
            'leaving-message': {
              description: 'A machine has answered; the call ends when the message is on it.',
              entry: { type: 'tellConversation', params: { type: 'voicemail.reached' } },
              on: {
                'message.left': { target: '#call.active.ending', actions: ends.byAgent },
                'hangup.requested': {
                  guard: 'waitsForFarewell',
                  actions: publishes.hangupRequested,
                  description: 'The call ends with the message anyway.',
                },
              },
            },
          },
        },
        ending: {
          description: 'The line is being hung up; only what was still heard is taken in.',
          entry: [{ type: 'tellConversation', params: { type: 'call.ending' } }, tells.hangUp],
          after: {
            hangUpTimeout: { target: 'hung-up', description: 'The line does not confirm; it is given up.' },
          },
          on: { 'line.ended': { target: '#call.over', actions: notesLastWord } },
        },
        'hung-up': {
          description: 'The line is gone; the conversation writes down what was still heard.',
          entry: { type: 'tellConversation', params: { type: 'call.over' } },
          on: { 'agent.quiet': '#call.over' },
          after: {
            hangUpTimeout: { target: '#call.over', description: 'The conversation is gone as well.' },
          },
        },
      },
    },
    over: {
      description: 'The call has ended; by its cause it is decided how.',
      entry: publishes.ended,
      always: [
        { guard: 'nobodyPickedUp', target: 'no_answer' },
        { guard: 'somethingBroke', target: 'failed' },
        { target: 'completed' },
      ],
    },
    completed: { type: 'final', description: 'Ended normally.' },
    no_answer: { type: 'final', description: 'Nobody picked up.' },
    failed: { type: 'final', description: 'The connection failed, or something broke.' },
  },
});
