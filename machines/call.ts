/**
 * The life of one call. Its top-level state is the status that the API shows.
 *
 * - `hangup-pending` is inside `active`: as a sibling, entering it would restart the conversation and the duration
 *   limit, and there would be no way back.
 * - The first cause wins: `endBecause` never overwrites a reason, so whatever happens while a call is being ended
 *   cannot change why it ended.
 * - A call touches the world through its `line` (disposed with the call, which hangs up whatever still stands), the
 *   replies of its conversation, and `publish`.
 */
import { assign, sendTo, setup } from 'xstate';
import { conversationMachine, type ConversationMessage } from './conversation.ts';
import type { CallFact, FinalStatus } from './facts.ts';
import {
  line,
  type AnsweredBy,
  type Direction,
  type LineCommand,
  type LineEvent,
  type SipDetails,
  type SpeechChoice,
} from './line.ts';
import { statusAfter, type EndReason } from './outcome.ts';

/** What becomes of an outbound call that a machine has answered; with `talk` the agent goes on as with a person. */
export type VoicemailPolicy = 'talk' | 'hang_up' | 'leave_message';

export type CallInput = {
  callId: string;
  direction: Direction;
  /** Domestic format. */
  from: string;
  /** Domestic format. */
  to: string;
  language: string;
  speech: SpeechChoice;
  recording: boolean;
  ringTimeoutSec: number;
  /** Counted from the answer. */
  maxDurationSec: number;
  silenceTimeoutSec: number;
  farewellWaitMs: number;
  hangUpTimeoutMs: number;
  kickoff: string | null;
  greeting: string | null;
  apology: string;
  brokenOff: string;
  failedOpening: string;
  failedGoodbye: string;
  reprompt: string;
  voicemail: VoicemailPolicy;
  /** What a machine is told by `leave_message`. */
  voicemailMessage: string;
};

/** What others ask of a call. */
export type CallRequest =
  | { type: 'hangup.requested'; immediate: boolean }
  /** The agent presses keys of the telephone, as in `LineCommand`. */
  | { type: 'keys.requested'; keys: string }
  /** What is said now is not to be in the recording. */
  | { type: 'recording.pause_requested' }
  | { type: 'recording.resume_requested' }
  | { type: 'cancel.requested' }
  /** The gateway shuts down and cannot wait any longer. */
  | { type: 'gateway.closing' };

export type CallEvent = LineEvent | ConversationMessage | CallRequest;

type CallContext = CallInput & {
  wasAnswered: boolean;
  agentIsBusy: boolean;
  answeredBy: AnsweredBy | null;
  recordingIsPaused: boolean;
  endReason: EndReason | null;
  endedAt: number | null;
  sip: SipDetails | null;
};

const ended = (context: CallContext, status: FinalStatus): CallFact => ({
  type: 'call.ended',
  reason: context.endReason ?? 'system_error',
  status,
  ...(context.endedAt === null ? {} : { at: context.endedAt }),
  ...(context.sip === null ? {} : { sip: context.sip }),
});

/** Who has called us is no question. */
const isToBeTold = ({ direction, answeredBy }: CallContext): boolean =>
  direction === 'outbound' && answeredBy === null;

const machineHasAnswered = (context: CallContext, event: CallEvent): boolean =>
  isToBeTold(context) && event.type === 'line.answered_by' && event.by === 'machine';

const whoAnswered = ({ at, by }: { at: number; by: AnsweredBy }): CallFact => ({
  type: 'call.answered_by',
  at,
  by,
});

const toLine = (command: LineCommand): LineCommand => command;

export const callMachine = setup({
  types: {
    input: {} as CallInput,
    context: {} as CallContext,
    events: {} as CallEvent,
  },
  actors: { line, conversation: conversationMachine },
  delays: {
    ringTimeout: ({ context }) => context.ringTimeoutSec * 1000,
    maxDuration: ({ context }) => context.maxDurationSec * 1000,
    farewellWait: ({ context }) => context.farewellWaitMs,
    hangUpTimeout: ({ context }) => context.hangUpTimeoutMs,
  },
  guards: {
    isImmediate: ({ event }) => event.type === 'hangup.requested' && event.immediate,
    isBackchannel: ({ event }) => event.type === 'line.heard' && event.backchannel,
    hangsUpOnMachine: ({ context, event }) =>
      machineHasAnswered(context, event) && context.voicemail === 'hang_up',
    leavesMessage: ({ context, event }) =>
      machineHasAnswered(context, event) && context.voicemail === 'leave_message',
    isToBeTold: ({ context }) => isToBeTold(context),
    goesOn: ({ context }) => context.endReason === null,
    isRecording: ({ context }) => context.recording && !context.recordingIsPaused,
    recordingIsPaused: ({ context }) => context.recordingIsPaused,
    farewellIsOver: ({ context }) => !context.agentIsBusy,
    nobodyPickedUp: (_, { cause }: { cause: EndReason }) => statusAfter(cause, false) === 'no_answer',
    somethingBroke: ({ context }) =>
      statusAfter(context.endReason ?? 'system_error', context.wasAnswered) === 'failed',
  },
  actions: {
    publish: (_args, _fact: CallFact) => {
      throw new Error('No "publish" was provided to this machine');
    },
    endBecause: assign({
      endReason: ({ context }, { reason }: { reason: EndReason }) => context.endReason ?? reason,
    }),
    noteAnswered: assign({ wasAnswered: true }),
    noteAnsweredBy: assign((_, { by }: { by: AnsweredBy }) => ({ answeredBy: by })),
    noteEnd: assign((_, { at, sip }: { at: number; sip?: SipDetails }) => ({
      endedAt: at,
      ...(sip === undefined ? {} : { sip }),
    })),
    noteBusy: assign({ agentIsBusy: true }),
    noteQuiet: assign({ agentIsBusy: false }),
    notePaused: assign({ recordingIsPaused: true }),
    noteResumed: assign({ recordingIsPaused: false }),
    tellLine: sendTo('line', (_, command: LineCommand) => command),
    tellConversation: sendTo(
      'conversation',
      (_, event: LineEvent | { type: 'call.ending' | 'call.over' | 'voicemail.reached' }) => event,
    ),
  },
}).createMachine({
  id: 'call',
  description: 'The life of one call, from dialing or arrival to its end.',
  context: ({ input }) => ({
    ...input,
    wasAnswered: false,
    agentIsBusy: false,
    answeredBy: null,
    recordingIsPaused: false,
    endReason: null,
    endedAt: null,
    sip: null,
  }),
  invoke: {
    src: 'line',
    id: 'line',
    input: ({ context: { callId, direction, from, to, language, speech, recording } }) => ({
      callId,
      direction,
      from,
      to,
      language,
      speech,
      recording,
    }),
    onError: {
      target: '.failed',
      actions: { type: 'endBecause', params: { reason: 'system_error' } },
      description: 'The line itself crashed.',
    },
  },
  initial: 'ringing',
  states: {
    ringing: {
      description: 'The far end rings, or an accepted caller is about to be answered.',
      initial: 'alerting',
      states: {
        alerting: {
          description: 'Nobody has answered yet.',
          after: {
            ringTimeout: {
              target: 'cancelling',
              actions: { type: 'endBecause', params: { reason: 'no_answer' } },
            },
          },
          on: {
            'line.answered': {
              target: '#call.active',
              actions: [
                'noteAnswered',
                {
                  type: 'publish',
                  params: ({ event }) => ({
                    type: 'call.answered',
                    at: event.at,
                    ...(event.sip === undefined ? {} : { sip: event.sip }),
                  }),
                },
              ],
            },
            'line.unanswered': [
              {
                guard: { type: 'nobodyPickedUp', params: ({ event }) => event },
                target: '#call.no_answer',
                actions: [
                  { type: 'endBecause', params: ({ event }) => ({ reason: event.cause }) },
                  { type: 'noteEnd', params: ({ event }) => event },
                ],
              },
              {
                target: '#call.failed',
                actions: [
                  { type: 'endBecause', params: ({ event }) => ({ reason: event.cause }) },
                  { type: 'noteEnd', params: ({ event }) => event },
                ],
              },
            ],
            'cancel.requested': {
              target: 'cancelling',
              actions: { type: 'endBecause', params: { reason: 'cancelled' } },
            },
            'gateway.closing': {
              target: 'cancelling',
              actions: { type: 'endBecause', params: { reason: 'system_error' } },
            },
          },
        },
        cancelling: {
          description: 'The call is given up; the line says what has become of it.',
          entry: { type: 'tellLine', params: toLine({ type: 'hangUp' }) },
          on: {
            'line.unanswered': [
              {
                guard: 'somethingBroke',
                target: '#call.failed',
                actions: { type: 'noteEnd', params: ({ event }) => event },
              },
              { target: '#call.no_answer', actions: { type: 'noteEnd', params: ({ event }) => event } },
            ],
            'line.answered': { description: 'Too late: the line hangs up whoever answers now.' },
            'cancel.requested': { description: 'It is being cancelled already.' },
            'gateway.closing': { description: 'It is over anyway.' },
          },
          after: {
            hangUpTimeout: [
              {
                guard: 'somethingBroke',
                target: '#call.failed',
                description: 'The line does not confirm; it is given up.',
              },
              { target: '#call.no_answer' },
            ],
          },
        },
      },
    },
    active: {
      description: 'The other party has answered; the conversation runs.',
      initial: 'conversing',
      invoke: {
        src: 'conversation',
        id: 'conversation',
        input: ({ context }) => ({
          callId: context.callId,
          kickoff: context.kickoff,
          greeting: context.greeting,
          apology: context.apology,
          brokenOff: context.brokenOff,
          failedOpening: context.failedOpening,
          failedGoodbye: context.failedGoodbye,
          reprompt: context.reprompt,
          voicemailMessage: context.voicemailMessage,
          silenceTimeoutSec: context.silenceTimeoutSec,
        }),
        onError: {
          target: '.ending',
          actions: { type: 'endBecause', params: { reason: 'system_error' } },
          description: 'The conversation crashed.',
        },
      },
      after: {
        maxDuration: {
          guard: 'goesOn',
          target: '.ending',
          actions: { type: 'endBecause', params: { reason: 'max_duration' } },
        },
      },
      on: {
        'line.ended': {
          target: '.hung-up',
          actions: [
            { type: 'endBecause', params: { reason: 'counterparty_hangup' } },
            { type: 'noteEnd', params: ({ event }) => event },
          ],
        },
        'line.failed': {
          target: '.ending',
          actions: { type: 'endBecause', params: { reason: 'media_error' } },
        },
        'line.answered_by': [
          {
            guard: 'hangsUpOnMachine',
            target: '.ending',
            actions: [
              { type: 'noteAnsweredBy', params: ({ event }) => event },
              { type: 'publish', params: ({ event }) => whoAnswered(event) },
              { type: 'endBecause', params: { reason: 'agent_hangup' } },
            ],
          },
          {
            guard: 'leavesMessage',
            target: '.leaving-message',
            actions: [
              { type: 'noteAnsweredBy', params: ({ event }) => event },
              { type: 'publish', params: ({ event }) => whoAnswered(event) },
            ],
          },
          {
            guard: 'isToBeTold',
            actions: [
              { type: 'noteAnsweredBy', params: ({ event }) => event },
              { type: 'publish', params: ({ event }) => whoAnswered(event) },
            ],
          },
        ],
        'line.held': {
          actions: [
            { type: 'publish', params: ({ event }) => ({ type: 'call.held', at: event.at }) },
            { type: 'tellConversation', params: ({ event }) => event },
          ],
        },
        'line.resumed': {
          actions: [
            { type: 'publish', params: ({ event }) => ({ type: 'call.resumed', at: event.at }) },
            { type: 'tellConversation', params: ({ event }) => event },
          ],
        },
        'line.*': { actions: { type: 'tellConversation', params: ({ event }) => event } },
        'agent.failed': {
          target: '.ending',
          actions: { type: 'endBecause', params: { reason: 'agent_error' } },
        },
        'silence.lasted': {
          target: '.ending',
          actions: { type: 'endBecause', params: { reason: 'silence_timeout' } },
        },
        'gateway.closing': {
          target: '.ending',
          actions: { type: 'endBecause', params: { reason: 'system_error' } },
        },
        'agent.busy': { actions: 'noteBusy' },
        'agent.quiet': { actions: 'noteQuiet' },
        'keys.requested': {
          actions: [
            { type: 'publish', params: ({ event }) => ({ type: 'keys.pressed', keys: event.keys }) },
            { type: 'tellLine', params: ({ event }) => toLine({ type: 'press', keys: event.keys }) },
          ],
        },
        'recording.pause_requested': {
          guard: 'isRecording',
          actions: [
            'notePaused',
            { type: 'tellLine', params: toLine({ type: 'pauseRecording' }) },
            { type: 'publish', params: { type: 'recording.paused' } },
          ],
          description: 'Asked for again while it is paused, it is paused already.',
        },
        'recording.resume_requested': {
          guard: 'recordingIsPaused',
          actions: [
            'noteResumed',
            { type: 'tellLine', params: toLine({ type: 'resumeRecording' }) },
            { type: 'publish', params: { type: 'recording.resumed' } },
          ],
        },
        say: { actions: { type: 'tellLine', params: ({ event }) => event } },
        stopTalking: { actions: { type: 'tellLine', params: ({ event }) => event } },
      },
      states: {
        conversing: {
          description: 'Both parties talk.',
          on: {
            'hangup.requested': [
              {
                guard: 'isImmediate',
                target: 'ending',
                actions: [
                  { type: 'publish', params: { type: 'call.hangup_requested', immediate: true } },
                  { type: 'endBecause', params: { reason: 'agent_hangup' } },
                ],
              },
              {
                target: 'hangup-pending',
                actions: { type: 'publish', params: { type: 'call.hangup_requested', immediate: false } },
              },
            ],
          },
        },
        'hangup-pending': {
          description: 'The agent asked to hang up; its farewell is heard to the end first.',
          entry: { type: 'tellLine', params: toLine({ type: 'expectHangup' }) },
          always: {
            guard: 'farewellIsOver',
            target: 'ending',
            actions: { type: 'endBecause', params: { reason: 'agent_hangup' } },
          },
          after: {
            farewellWait: {
              target: 'ending',
              actions: { type: 'endBecause', params: { reason: 'agent_hangup' } },
            },
          },
          on: {
            'line.speech': {
              target: 'conversing',
              actions: [
                { type: 'publish', params: ({ event }) => ({ type: 'call.hangup_cancelled', at: event.at }) },
                { type: 'tellConversation', params: ({ event }) => event },
              ],
              description: 'The other party speaks into the farewell: the call goes on.',
            },
            'line.heard': [
              {
                guard: 'isBackchannel',
                actions: { type: 'tellConversation', params: ({ event }) => event },
              },
              {
                target: 'conversing',
                actions: [
                  {
                    type: 'publish',
                    params: ({ event }) => ({ type: 'call.hangup_cancelled', at: event.at }),
                  },
                  { type: 'tellConversation', params: ({ event }) => event },
                ],
              },
            ],
            'hangup.requested': {
              guard: 'isImmediate',
              target: 'ending',
              actions: [
                { type: 'publish', params: { type: 'call.hangup_requested', immediate: true } },
                { type: 'endBecause', params: { reason: 'agent_hangup' } },
              ],
            },
          },
        },
        'leaving-message': {
          description: 'A machine has answered; the call ends when the message is on it.',
          entry: { type: 'tellConversation', params: { type: 'voicemail.reached' } },
          on: {
            'message.left': {
              target: 'ending',
              actions: { type: 'endBecause', params: { reason: 'agent_hangup' } },
            },
            'hangup.requested': [
              {
                guard: 'isImmediate',
                target: 'ending',
                actions: [
                  { type: 'publish', params: { type: 'call.hangup_requested', immediate: true } },
                  { type: 'endBecause', params: { reason: 'agent_hangup' } },
                ],
              },
              {
                actions: { type: 'publish', params: { type: 'call.hangup_requested', immediate: false } },
                description: 'The call ends with the message anyway.',
              },
            ],
          },
        },
        ending: {
          description: 'The line is being hung up; only what was still heard is taken in.',
          entry: [
            { type: 'tellConversation', params: { type: 'call.ending' } },
            { type: 'tellLine', params: toLine({ type: 'hangUp' }) },
          ],
          after: {
            hangUpTimeout: { target: 'hung-up', description: 'The line does not confirm; it is given up.' },
          },
          on: {
            'line.ended': [
              {
                guard: 'somethingBroke',
                target: '#call.failed',
                actions: { type: 'noteEnd', params: ({ event }) => event },
              },
              { target: '#call.completed', actions: { type: 'noteEnd', params: ({ event }) => event } },
            ],
            'line.speech': { description: 'Too late.' },
            'line.heard': { description: 'Too late.' },
            'line.answered_by': { description: 'Too late.' },
            'line.held': { description: 'Too late.' },
            'line.resumed': { description: 'Too late.' },
            say: { description: 'Too late.' },
            'keys.requested': { description: 'Too late.' },
            'line.failed': { description: 'It is over anyway.' },
            'agent.failed': { description: 'It is over anyway.' },
            'silence.lasted': { description: 'It is over anyway.' },
            'gateway.closing': { description: 'It is over anyway.' },
          },
        },
        'hung-up': {
          description: 'The line is gone; the conversation writes down what was still heard.',
          entry: { type: 'tellConversation', params: { type: 'call.over' } },
          on: {
            'agent.quiet': [
              { guard: 'somethingBroke', target: '#call.failed' },
              { target: '#call.completed' },
            ],
          },
          after: {
            hangUpTimeout: [
              {
                guard: 'somethingBroke',
                target: '#call.failed',
                description: 'The conversation is gone as well.',
              },
              { target: '#call.completed' },
            ],
          },
        },
      },
    },
    completed: {
      type: 'final',
      description: 'Ended normally.',
      entry: { type: 'publish', params: ({ context }) => ended(context, 'completed') },
    },
    no_answer: {
      type: 'final',
      description: 'Nobody picked up.',
      entry: { type: 'publish', params: ({ context }) => ended(context, 'no_answer') },
    },
    failed: {
      type: 'final',
      description: 'The connection failed, or something broke.',
      entry: { type: 'publish', params: ({ context }) => ended(context, 'failed') },
    },
  },
});
