/**
 * The life of one call. Its top-level state is the status that the API shows.
 *
 * - `talking` contains everything before the end of the call is decided. Later speech, requests and losses are ignored,
 *   because only `talking` handles them. The maximum duration counts in it, from the answer.
 * - `hangup-pending` is inside `talking`: as a sibling, entering it would restart the conversation and the duration
 *   limit, and there would be no way back.
 * - The first cause wins: a reason is never overwritten, so events during the end of a call cannot change why it ended.
 *   Every end passes through `over`, which publishes it and decides the status.
 * - A call has side effects only through its `line` (closed with the call, which hangs up all remaining legs), the
 *   replies of its conversation, and `publish`.
 */
import {
  beginsTransfer,
  ends,
  looksUpTransfer,
  meetsScreening,
  notesLastWord,
  publishes,
  tells,
} from './call-actions.ts';
import { contextOf, lineInput, outputOf } from './call-context.ts';
import { callSetup } from './call-setup.ts';
import { consenting } from './call-consent.ts';
import { bridged, transferring } from './call-transfer.ts';

export const callMachine = callSetup.createMachine({
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
            'line.answered': [
              {
                guard: 'mustConsent',
                target: '#call.active.talking.consenting',
                actions: ['noteAnswered', publishes.answered],
              },
              { target: '#call.active', actions: ['noteAnswered', publishes.answered] },
            ],
            'line.unanswered': { target: '#call.over', actions: [ends.unconnected, notesLastWord] },
            'cancel.requested': { target: 'cancelling', actions: ends.cancelled },
            'gateway.closing': { target: 'cancelling', actions: ends.forFault },
          },
        },
        cancelling: {
          description:
            'The call is given up, and an answer comes too late; the line says what has become of it.',
          entry: tells.hangUp,
          on: {
            'line.unanswered': { target: '#call.over', actions: notesLastWord },
            'line.ended': {
              target: '#call.over',
              actions: notesLastWord,
              description: 'It was answered just before, and hung up.',
            },
          },
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
        'recording.pause_requested': [
          {
            guard: 'isRecording',
            actions: ['notePaused', tells.pauseRecording, publishes.recordingPaused],
            description: 'Asked for again while it is paused, it is paused already.',
          },
          {
            guard: 'isPausedForSecret',
            actions: 'keepPausedBehindSecret',
            description: 'It stays paused when the secret digits are complete.',
          },
        ],
        'recording.resume_requested': {
          guard: 'recordingMayGoOn',
          actions: ['noteResumed', tells.resumeRecording, publishes.recordingResumed],
        },
        stopTalking: { actions: { type: 'tellLine', params: ({ event }) => event } },
        pauseTalking: { actions: { type: 'tellLine', params: ({ event }) => event } },
        resumeTalking: { actions: { type: 'tellLine', params: ({ event }) => event } },
        'line.one_way': { actions: publishes.oneWay },
        'line.dtmf': { actions: { type: 'noteDtmf', params: ({ event }) => event } },
        'line.pressed': { actions: publishes.keysPressed },
        'line.press_failed': { actions: publishes.keysFailed },
        'line.refer_received': { actions: tells.refuseRefer },
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
                guard: 'hungUpWhileBridged',
                target: 'ending',
                actions: [publishes.takenOver, ends.byAgent],
              },
              {
                guard: 'wasBridged',
                target: 'bridged',
                actions: [publishes.takenOver, 'keepPaused', tells.forgetKeys, 'pauseUnrecorded'],
              },
              {
                guard: 'hungUpBeforeConsent',
                target: 'ending',
                actions: [publishes.takenOver, ends.byAgent],
              },
              {
                guard: 'awaitedConsent',
                target: 'talking.consenting',
                actions: [publishes.takenOver, 'keepPaused', 'goOn'],
              },
              {
                guard: 'wasLeavingMessage',
                target: 'talking.leaving-message',
                actions: [publishes.takenOver, 'keepPaused', 'goOn'],
                description: 'The message ends the call, whether or not a hang-up is pending.',
              },
              {
                guard: 'hangupIsPending',
                target: 'talking.hangup-pending',
                actions: [publishes.takenOver, 'keepPaused', 'goOn'],
              },
              {
                guard: 'hasLostTransfer',
                target: 'talking',
                actions: [
                  publishes.takenOver,
                  'keepPaused',
                  'goOn',
                  publishes.transferOver,
                  'returnToAgent',
                  'forgetTransfer',
                ],
              },
              { target: 'talking', actions: [publishes.takenOver, 'keepPaused', 'goOn'] },
            ],
            'line.ended': [
              { guard: 'wasCutOff', target: 'hung-up', actions: [ends.byNetwork, notesLastWord] },
              { guard: 'eitherHungUp', target: 'hung-up', actions: [ends.byTransfer, notesLastWord] },
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
            'line.ended': [
              {
                guard: 'wasCutOff',
                target: 'hung-up',
                actions: [ends.byNetwork, notesLastWord],
                description: 'The network ended it: nobody has hung up.',
              },
              { target: 'hung-up', actions: [ends.byCounterparty, notesLastWord] },
            ],
            'line.failed': { target: 'ending', actions: ends.forMedia },
            'line.answered_by': {
              guard: 'isToBeTold',
              actions: [
                'decideByAnswerer',
                { type: 'noteAnsweredBy', params: ({ event }) => event },
                publishes.answeredBy,
              ],
            },
            'answerer.known': [
              { guard: 'hangsUpOnMachine', target: 'ending', actions: ends.byAgent },
              { guard: 'leavesMessage', target: '.leaving-message' },
              { guard: 'hangsUpOnScreening', target: 'ending', actions: ends.byAgent },
              { guard: 'hangsUpOnMenu', target: 'ending', actions: ends.byAgent },
            ],
            'line.held': { actions: [publishes.held, 'forwardToConversation'] },
            'line.resumed': { actions: [publishes.resumed, 'forwardToConversation'] },
            'line.one_way': { actions: publishes.oneWay },
            'line.refer_received': { actions: tells.refuseRefer },
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
              actions: { type: 'tellLine', params: ({ event }) => ({ type: 'press', keys: event.keys }) },
            },
            'line.dtmf': { actions: { type: 'noteDtmf', params: ({ event }) => event } },
            'line.pressed': { actions: publishes.keysPressed },
            'line.press_failed': { actions: publishes.keysFailed },
            'collect.requested': [
              {
                guard: 'wantsSecret',
                actions: [publishes.collectRequested, 'beginSecret', 'forwardToConversation'],
              },
              { actions: [publishes.collectRequested, tells.showKeys, 'forwardToConversation'] },
            ],
            'keys.collected': { actions: tells.keepKeys },
            'secret.awaited': { actions: 'beginSecret' },
            'secret.dropped': { actions: tells.forgetKeys },
            'say.requested': { actions: [publishes.sayRequested, 'forwardToConversation'] },
            'language.requested': { actions: [publishes.languageChanged, tells.changeLanguage] },
            say: { actions: { type: 'tellLine', params: ({ event }) => event } },
          },
          states: {
            consenting,
            conversing: {
              description: 'Both parties talk.',
              on: {
                'answerer.known': meetsScreening,
                'hangup.requested': {
                  guard: 'waitsForFarewell',
                  target: 'hangup-pending',
                  actions: [publishes.hangupRequested, 'noteFinal'],
                },
                'transfer.wanted': {
                  actions: { type: 'askForTransfer', params: ({ event }) => event.wanted },
                  description: 'By its agent: whether that may be is being found out.',
                },
                'line.refer_received': {
                  actions: looksUpTransfer,
                  description: 'By the other party (REFER): whether that may be is being found out.',
                },
                'transfer.refused': [
                  { guard: 'isForOtherParty', actions: tells.refuseRefer },
                  { actions: 'forwardToConversation' },
                ],
                'transfer.requested': {
                  target: 'transferring',
                  actions: [
                    { type: 'noteTransfer', params: ({ event }) => event },
                    publishes.transferRequested,
                    beginsTransfer,
                  ],
                },
              },
            },
            transferring,
            'hangup-pending': {
              description: 'The agent asked to hang up; its farewell is heard to the end first.',
              entry: tells.expectHangup,
              always: { guard: 'farewellIsOver', target: '#call.active.ending', actions: ends.byAgent },
              after: { farewellWait: { target: '#call.active.ending', actions: ends.byAgent } },
              on: {
                'hangup.requested': { guard: 'isFinal', actions: 'noteFinal' },
                'line.speech': [
                  {
                    guard: 'hangupIsFinal',
                    actions: 'forwardToConversation',
                    description: 'It is answered, and the call ends behind that.',
                  },
                  {
                    target: 'conversing',
                    actions: [publishes.hangupCancelled, 'forwardToConversation'],
                    description: 'The other party speaks into the farewell: the call goes on.',
                  },
                ],
                'line.heard': [
                  { guard: 'isBackchannel', actions: 'forwardToConversation' },
                  { guard: 'hangupIsFinal', actions: 'forwardToConversation' },
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
        bridged,
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
