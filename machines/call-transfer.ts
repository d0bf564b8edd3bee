/**
 * States of a call that is transferred to a person: `active.talking.transferring`, from which every failure leads back
 * to `conversing`, and `active.bridged`, in which the agent has left the call.
 */
import { ends, notesLastWord, publishes, takesBriefing, tells } from './call-actions.ts';
import { callSetup } from './call-setup.ts';

const takenBack = {
  target: 'recalling',
  actions: { type: 'giveUpTransfer', params: { reason: 'cancelled' } },
} as const;

const notAccepted = {
  target: 'recalling',
  actions: { type: 'giveUpTransfer', params: { reason: 'not_accepted' } },
} as const;

/**
 * The line is ended, because it is unknown which parties are connected. The call can therefore not be returned to the
 * agent or the person.
 */
const unreported = { target: '#call.active.ending', actions: ends.forMedia } as const;

export const transferring = callSetup.createStateConfig({
  description: 'A person is rung, to whom the other party is to be handed; the agent is silent.',
  tags: 'transferring',
  initial: 'beginning',
  on: {
    'line.transferred': {
      target: '#call.active.bridged',
      actions: [publishes.transferConnected, tells.forgetKeys, 'pauseUnrecorded'],
    },
    'line.transfer_failed': [
      {
        guard: 'failedTransferEnds',
        target: '#call.active.ending',
        actions: [publishes.transferOver, ends.forTransfer],
      },
      {
        target: 'conversing',
        actions: [publishes.transferOver, 'returnToAgent', 'forgetTransfer'],
      },
    ],
    'transfer.briefing_written': {
      guard: 'isOfThisTransfer',
      actions: takesBriefing,
      description: 'It comes too late for a person who has picked up.',
    },
    'hangup.requested': {
      target: '#call.active.ending',
      actions: [publishes.hangupRequested, ends.byAgent],
      description: 'The agent says nothing now, so no farewell is waited for.',
    },
    'answerer.known': [
      { guard: 'hangsUpOnMachine', target: '#call.active.ending', actions: ends.byAgent },
      { description: 'No message is left on a machine for which a person is rung already.' },
    ],
  },
  states: {
    beginning: {
      description: 'Decides whether the other party is told something first.',
      always: [{ guard: 'isAnnounced', target: 'announcing' }, { target: 'consulting' }],
    },
    announcing: {
      description: 'The other party is told that a person will be rung; nobody is rung yet.',
      after: { longestAnnouncement: { target: 'consulting', actions: publishes.transferRinging } },
      on: {
        'transfer.announced': { target: 'consulting', actions: publishes.transferRinging },
        'transfer.taken_back': {
          target: '#call.active.talking.conversing',
          actions: [
            { type: 'giveUpTransfer', params: { reason: 'cancelled' } },
            publishes.transferOver,
            'returnToAgent',
            'forgetTransfer',
          ],
        },
      },
    },
    consulting: {
      description: 'The person is rung.',
      entry: tells.transfer,
      after: {
        transferRing: {
          target: 'recalling',
          actions: { type: 'giveUpTransfer', params: { reason: 'no_answer' } },
        },
      },
      on: {
        'line.referring': 'referring',
        'line.transfer_answered': {
          target: 'briefing',
          actions: publishes.transferAnswered,
          description: 'A warm transfer.',
        },
        'transfer.taken_back': takenBack,
      },
    },
    referring: {
      description: 'The far end was asked to call the person itself (REFER), which nobody can take back.',
      after: {
        referWait: {
          target: 'recalling',
          actions: { type: 'giveUpTransfer', params: { reason: 'no_answer' } },
        },
      },
      on: {
        'line.refer_refused': {
          target: 'consulting',
          description: 'The line calls the person itself.',
        },
        'line.referred': {
          target: '#call.active.ending',
          actions: [publishes.transferConnected, tells.forgetKeys, ends.byTransfer],
          description: 'The other party talks with the person elsewhere.',
        },
      },
    },
    briefing: {
      description: 'The person hears what the call is about; the other party hears a hold tone.',
      entry: tells.brief,
      after: { longestBriefing: notAccepted },
      on: {
        'line.briefed': [{ guard: 'takesCallByKey', target: 'briefed' }, { target: 'connecting' }],
        'line.accepted': { target: 'connecting', description: 'The rest of it is not waited for.' },
        'transfer.taken_back': takenBack,
      },
    },
    briefed: {
      description: 'The person knows what the call is about, and has not pressed the key yet.',
      after: { acceptWait: notAccepted },
      on: { 'line.accepted': 'connecting', 'transfer.taken_back': takenBack },
    },
    connecting: {
      description: 'The person takes the call.',
      entry: tells.connect,
      after: { longestConnecting: unreported },
    },
    recalling: {
      description: 'Nobody is to be rung any more; until the line says so, an answer still counts.',
      entry: tells.cancelTransfer,
      after: { longestRecalling: unreported },
    },
  },
});

export const bridged = callSetup.createStateConfig({
  description: 'The other party talks with the person of the transfer; the agent is out.',
  tags: 'transferring',
  entry: { type: 'tellConversation', params: { type: 'call.ending' } },
  after: { transferDuration: { target: 'ending', actions: ends.forDuration } },
  on: {
    'recording.resume_requested': {
      guard: 'isUnrecorded',
      description: 'The number does not allow it, whoever asks.',
    },
    'line.digit': { description: 'Two persons press keys for each other, which may be a secret.' },
    'line.ended': [
      { guard: 'wasCutOff', target: 'hung-up', actions: [ends.byNetwork, notesLastWord] },
      { target: 'hung-up', actions: [ends.byTransfer, notesLastWord] },
    ],
    'line.failed': { target: 'ending', actions: ends.forMedia },
    'gateway.closing': { target: 'ending', actions: ends.forFault },
    'hangup.requested': { target: 'ending', actions: [publishes.hangupRequested, ends.byAgent] },
  },
});
