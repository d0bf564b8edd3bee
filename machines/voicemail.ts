/**
 * Leaving a message on an answering machine: when to say it, and when it has been left. Saying it is the conversation's:
 * it keeps account of what was really heard.
 */
import { sendParent, setup } from 'xstate';

/** Events from the conversation. */
export type VoicemailEvent =
  /** What is said from now on is recorded by the machine. */
  | { type: 'line.takes_message' }
  /** The message that was asked for last was heard to its end. */
  | { type: 'message.played' };

/** Its message to the conversation: be silent, and say the whole message. */
export type VoicemailMessage = { type: 'message.due' };

export const voicemailMachine = setup({
  types: {
    /** Whether what is said is recorded by the machine already. */
    input: {} as { takesMessage: boolean },
    context: {} as { takesMessage: boolean },
    events: {} as VoicemailEvent,
  },
  guards: { takesMessage: ({ context }) => context.takesMessage },
  delays: {
    /** A machine that never says that it takes a message is told it all the same. */
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
