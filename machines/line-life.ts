/**
 * The life of one line, of every driver (`sip/`): how it comes to an answer, whether it is held, and how it ends. Its
 * first cause is its end; what comes later finds no arrow.
 */
import { assign, setup } from 'xstate';
import type { LineEventOf, LineReport, UnansweredCause } from './line.ts';

/** The side that has ended a line; `cause` is `null` where it was answered. */
export type LineEnd = { by: LineEventOf<'line.ended'>['by']; cause: UnansweredCause | null };

/** Actions of a life on its line. */
export type LineActions = {
  report(report: LineReport): void;
  carrySound(): void;
  /** Nobody is heard or rung for any more. */
  fallSilent(end: LineEnd): void;
  /** Tells the far end, if it does not know; `released` is to follow, unless the line was closed. */
  release(end: LineEnd): void;
  /** The call goes on without this line: nothing of it is left here, and its far end notices nothing. */
  leave(): void;
};

export type LineLifeEvent =
  /** The far end rings, holds the call or takes it back; it may say so more than once. */
  | { type: 'rang' | 'held' | 'resumed' }
  | { type: 'answered' }
  /** The call stood already, in another process, and goes on here; or it cannot. */
  | { type: 'adopted' | 'adoption.failed' }
  /** It came to no answer; that confirms a cancelled call, too. */
  | { type: 'unanswered'; cause: UnansweredCause }
  /** The call stands, but carries no sound any more. */
  | { type: 'sound.lost' }
  /** The far end hangs up, or gives up before the answer. */
  | { type: 'left' }
  /** The network has ended the call, and the far end has not hung up. */
  | { type: 'cut.off' }
  /** The far end knows that the line is over, or has had long enough to say so. */
  | { type: 'released' }
  /** The call has taken the last word. */
  | { type: 'reported' }
  /** `handed.over`: another gateway holds the call. */
  | { type: 'hangup.requested' | 'closed' | 'handed.over' };

const report = (type: `line.${'ringing' | 'answered' | 'adopted' | 'held' | 'resumed' | 'failed'}`) =>
  ({ type: 'report', params: { type } }) as const;

const lastWord = ({ by, cause }: LineEnd): LineReport =>
  cause === null ? { type: 'line.ended', by } : { type: 'line.unanswered', cause };

export const lineLifeMachine = setup({
  types: {
    input: {} as LineActions,
    /** Until it has an end, `end` is the one that the gateway would give it now. */
    context: {} as { line: LineActions; end: LineEnd },
    events: {} as LineLifeEvent,
  },
  actions: {
    noteAnswered: assign({ end: { by: 'gateway', cause: null } }),
    noteUnanswered: assign((_, cause: UnansweredCause) => ({ end: { by: 'counterparty', cause } as const })),
    noteLeft: assign(({ context: { end } }) => ({ end: { ...end, by: 'counterparty' } as const })),
    report: ({ context }, report: LineReport) => context.line.report(report),
    reportEnd: ({ context: { line, end } }) => line.report(lastWord(end)),
    noteCutOff: assign({ end: { by: 'network', cause: null } }),
    carrySound: ({ context }) => context.line.carrySound(),
    fallSilent: ({ context: { line, end } }) => line.fallSilent(end),
    release: ({ context: { line, end } }) => line.release(end),
    leave: ({ context }) => context.line.leave(),
  },
}).createMachine({
  id: 'line-life',
  description: 'The life of one line.',
  context: ({ input }) => ({ line: input, end: { by: 'gateway', cause: 'cancelled' } }),
  initial: 'calling',
  on: {
    closed: { target: '.over', actions: ['fallSilent', 'release'] },
    'handed.over': { target: '.over', actions: 'leave' },
  },
  states: {
    calling: {
      description: 'The call is on its way to an answer, out or in.',
      initial: 'connecting',
      on: {
        answered: { target: 'answered', actions: ['noteAnswered', report('line.answered'), 'carrySound'] },
        adopted: { target: 'answered', actions: [report('line.adopted'), 'carrySound'] },
        'adoption.failed': 'leaving.reporting',
        unanswered: {
          target: 'leaving.reporting',
          actions: { type: 'noteUnanswered', params: ({ event }) => event.cause },
        },
        left: { target: 'leaving.reporting', actions: 'noteLeft' },
        'hangup.requested': 'leaving',
      },
      states: {
        connecting: {
          description: 'Nothing is known of the far end.',
          on: { rang: { target: 'ringing', actions: report('line.ringing') } },
        },
        ringing: { description: 'The far end rings.' },
      },
    },
    answered: {
      description: 'The line stands and carries voices.',
      initial: 'connected',
      on: {
        left: { target: 'leaving', actions: 'noteLeft' },
        'cut.off': { target: 'leaving', actions: 'noteCutOff' },
        'hangup.requested': 'leaving',
        'sound.lost': { target: '.failed', actions: report('line.failed') },
      },
      states: {
        connected: {
          description: 'Both parties are there.',
          on: { held: { target: 'held', actions: report('line.held') } },
        },
        held: {
          description: 'The other party has put the call on hold.',
          on: { resumed: { target: 'connected', actions: report('line.resumed') } },
        },
        failed: { description: 'The sound is lost, and the call will hang up.', on: { 'sound.lost': {} } },
      },
    },
    leaving: {
      description: 'The line has ended, and its call does not know yet.',
      initial: 'releasing',
      entry: 'fallSilent',
      on: { closed: 'over', 'handed.over': 'over' },
      states: {
        releasing: {
          description: 'The far end has a moment to confirm the end.',
          entry: 'release',
          on: { released: 'reporting', unanswered: 'reporting' },
        },
        reporting: {
          description: 'The last word is on its way to the call.',
          entry: 'reportEnd',
          on: { reported: '#line-life.over' },
        },
      },
    },
    over: { description: 'Nothing is left of the line.', type: 'final' },
  },
});
