/**
 * The life of one line, for every driver (`sip/`): answer, hold and end. The first cause decides the end; later ones
 * are ignored.
 */
import { assign, emit, setup } from 'xstate';
import type { LineEventOf, LineReport, UnansweredCause } from './line.ts';

/** The side that ended a line; `cause` is `null` for an answered line. */
export type LineEnd = { by: LineEventOf<'line.ended'>['by']; cause: UnansweredCause | null };

/** Effects of a line life on its line, emitted once the new state is reached (`sip/run-line-life.ts`). */
export type LineEffect =
  | { type: 'report'; report: LineReport }
  | { type: 'carrySound' }
  /** Stops listening and ringing. */
  | { type: 'fallSilent'; end: LineEnd }
  /**
   * Ends the call at the far end, if it is still unaware of the end; `released` follows, unless the line was closed.
   */
  | { type: 'release'; end: LineEnd }
  /** The call continues without this line: releases local resources without notifying the far end. */
  | { type: 'leave' };

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

const finalReport = ({ by, cause }: LineEnd): LineReport =>
  cause === null ? { type: 'line.ended', by } : { type: 'line.unanswered', cause };

export const lineLifeMachine = setup({
  types: {
    /** `isAdopted`: the call was answered in another process. */
    input: {} as { isAdopted: boolean },
    /** Until the line has an end, `end` is the one for a hang-up by the gateway. */
    context: {} as { end: LineEnd },
    events: {} as LineLifeEvent,
    emitted: {} as LineEffect,
  },
  actions: {
    noteAnswered: assign({ end: { by: 'gateway', cause: null } }),
    noteUnanswered: assign((_, cause: UnansweredCause) => ({ end: { by: 'counterparty', cause } as const })),
    noteLeft: assign(({ context: { end } }) => ({ end: { ...end, by: 'counterparty' } as const })),
    noteCutOff: assign({ end: { by: 'network', cause: null } }),
    report: emit((_, report: LineReport) => ({ type: 'report', report })),
    reportEnd: emit(({ context: { end } }) => ({ type: 'report', report: finalReport(end) })),
    carrySound: emit({ type: 'carrySound' }),
    fallSilent: emit(({ context: { end } }) => ({ type: 'fallSilent', end })),
    release: emit(({ context: { end } }) => ({ type: 'release', end })),
    leave: emit({ type: 'leave' }),
  },
}).createMachine({
  id: 'line-life',
  description: 'The life of one line, from dialling or arrival to its release.',
  context: ({ input }) => ({ end: { by: 'gateway', cause: input.isAdopted ? null : 'cancelled' } }),
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
          description: 'The far end has sent no sign yet.',
          on: { rang: { target: 'ringing', actions: report('line.ringing') } },
        },
        ringing: { description: 'The far end rings.' },
      },
    },
    answered: {
      description: 'The line is answered and carries audio.',
      initial: 'connected',
      on: {
        left: { target: 'leaving', actions: 'noteLeft' },
        'cut.off': { target: 'leaving', actions: 'noteCutOff' },
        'hangup.requested': 'leaving',
        'sound.lost': { target: '.failed', actions: report('line.failed') },
      },
      states: {
        connected: {
          description: 'Both parties are connected.',
          on: { held: { target: 'held', actions: report('line.held') } },
        },
        held: {
          description: 'The other party has put the call on hold.',
          on: { resumed: { target: 'connected', actions: report('line.resumed') } },
        },
        failed: { description: 'The audio is lost, and the call will hang up.', on: { 'sound.lost': {} } },
      },
    },
    leaving: {
      description: 'The line has ended, and its call is not yet notified.',
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
          description: 'The final report is on its way to the call.',
          entry: 'reportEnd',
          on: { reported: '#line-life.over' },
        },
      },
    },
    over: { description: 'All resources of the line are released.', type: 'final' },
  },
});
