/**
 * The life of one line, for every driver (`sip/`): answer, hold and end. The first cause decides the end; later ones
 * are ignored.
 */
import { assign, setup } from 'xstate';
import type { LineEventOf, LineReport, UnansweredCause } from './line.ts';

/** The side that ended a line; `cause` is `null` for an answered line. */
export type LineEnd = { by: LineEventOf<'line.ended'>['by']; cause: UnansweredCause | null };

/** Actions of a line life on its line. */
export type LineActions = {
  report(report: LineReport): void;
  carrySound(): void;
  /** Stops listening and ringing. */
  fallSilent(end: LineEnd): void;
  /**
   * Ends the call at the far end, if it is still unaware of the end; `released` follows, unless the line was closed.
   */
  release(end: LineEnd): void;
  /** The call continues without this line: releases local resources without notifying the far end. */
  leave(): void;
};

export type LineLifeEvent =
  /** The far end rings, holds the call or resumes it; these events may repeat. */
  | { type: 'rang' | 'held' | 'resumed' }
  | { type: 'answered' }
  /** A call of another process was adopted; or it could not be. */
  | { type: 'adopted' | 'adoption.failed' }
  /** The call was not answered; also confirms a cancelled call. */
  | { type: 'unanswered'; cause: UnansweredCause }
  /** The call exists but has lost its media. */
  | { type: 'sound.lost' }
  /** The far end hangs up, or cancels before the answer. */
  | { type: 'left' }
  /** The network ended the call, not the far end. */
  | { type: 'cut.off' }
  /** The far end has learned of the end of the line, or the timeout for that has passed. */
  | { type: 'released' }
  /** The call has received the final event. */
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
    /** Until the line has an end, `end` is the one for a hang-up by the gateway. */
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
