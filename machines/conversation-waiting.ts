/** States in which the agent waits: on hold, and while a transfer rings. */
import { closesTurn, hears, notesPlayed, publishes, says, tells } from './conversation-actions.ts';
import { conversationSetup } from './conversation-setup.ts';

/** Ignores music and announcements that are heard during a hold. */
const ignoresMusic = {
  guard: 'beganOnHold',
  description: 'It is music or an announcement for those who wait.',
} as const;

export const onHold = conversationSetup.createStateConfig({
  description: 'The other party is not there; the agent waits, however long, and what begins now is music.',
  entry: ['noteHold', tells.busy, tells.stopTalking],
  always: closesTurn,
  on: {
    'line.heard': [
      ignoresMusic,
      { guard: 'isBackchannel', actions: publishes.heard },
      {
        actions: [publishes.heard, hears.words],
        description: 'It was spoken before the hold, and is answered when the other party is back.',
      },
    ],
    'line.resumed': { target: 'listening', actions: 'noteBrokenSilence' },
    'transfer.begun': { target: 'standing-by.held', actions: says.announcement },
    'transfer.over': { actions: hears.failedTransfer },
  },
});

/**
 * Waits during a transfer. If the transfer begins while the agent pauses, the words before it are still played to the
 * end.
 */
export const standsBy = {
  target: '#conversation.standing-by',
  actions: [tells.resumeTalking, publishes.resumed, says.announcement],
} as const;

export const standingBy = conversationSetup.createStateConfig({
  description:
    'A person is rung for the other party; what was being said is heard to its end, then the agent is silent.',
  entry: tells.busy,
  always: closesTurn,
  initial: 'present',
  on: {
    'line.heard': { actions: [publishes.heard, hears.words] },
    'line.played': {
      guard: 'lastHasLeft',
      actions: [notesPlayed, tells.transferAnnounced],
      description: 'Whatever was to be said before is said; the call knows whether it waits for that.',
    },
  },
  states: {
    present: {
      description: 'The other party waits; what it says is answered if nobody comes.',
      on: {
        'line.held': 'held',
        'transfer.over': { target: '#conversation.listening', actions: hears.failedTransfer },
      },
    },
    held: {
      description: 'The other party has put the call on hold meanwhile.',
      entry: 'noteHold',
      on: {
        'line.heard': ignoresMusic,
        'line.resumed': 'present',
        'transfer.over': { target: '#conversation.on-hold', actions: hears.failedTransfer },
      },
    },
  },
});
