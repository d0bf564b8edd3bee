/**
 * Leaving a message on an answering machine: when the message is spoken, and when it is complete. The conversation
 * speaks it, because the conversation tracks the heard words.
 */
import { sendParent, setup } from 'xstate';

/** Events that the conversation sends. */
export type VoicemailEvent =
  /** The machine records from now on. */
  | { type: 'line.takes_message' }
  /** The last requested message was heard to its end. */
  | { type: 'message.played' };

/** Requests that the conversation stop other words and speak the whole message. */
export type VoicemailMessage = { type: 'message.due' };

export const voicemailMachine = setup({
  types: {
    /** Whether the machine is already recording. */
    input: {} as { takesMessage: boolean },
    context: {} as { takesMessage: boolean },
    events: {} as VoicemailEvent,
  },
  guards: { takesMessage: ({ context }) => context.takesMessage },
  delays: {
    /** Time after which a machine whose recording is not detected gets the message. */
    longestGreeting: 60_000,
  },
  actions: { askForMessage: sendParent({ type: 'message.due' } satisfies VoicemailMessage) },
}).createMachine({
  id: 'voicemail',
  description: 'One message for a machine that has answered.',
  context: ({ input }) => input,
  initial: 'awaiting-beep',
  states: {
    'awaiting-beep': {
      description: 'The machine says its greeting; nothing is said into it.',
      always: { guard: 'takesMessage', target: 'leaving-message' },
      after: { longestGreeting: 'leaving-message' },
      on: { 'line.takes_message': 'leaving-message' },
    },
    'leaving-message': {
      description: 'The message is being said.',
      entry: 'askForMessage',
      on: {
        'line.takes_message': {
          target: 'leaving-message',
          reenter: true,
          description: 'What was said before this moment is not on the machine, so it is said again.',
        },
        'message.played': 'left',
      },
    },
    left: { type: 'final', description: 'The whole message is on the machine.' },
  },
});
