/**
 * The life of one line, for every driver (`sip/`): answer, hold and end. The first cause decides the end; later causes
 * are ignored.
 *
 * The file contains the chart, then the queue of reports to the call, then `runLineLife`, which runs the chart for a
 * driver.
 */
import { assign, createActor, emit, setup, type AnyActorRef } from 'xstate';
import { inSystemOf, performEffects } from './chart-actors.ts';
import type { AudioUntil, Line, LineEvent, LineEventOf, LineReport, UnansweredLineCause } from './line.ts';

/** The side that ended a line. `cause` is `null` for an answered line. */
export type LineEnd = { by: LineEventOf<'line.ended'>['by']; cause: UnansweredLineCause | null };

/** Effects of a line's chart on the line, emitted once the new state is reached. */
export type LineEffect =
  | { type: 'report'; report: LineReport }
  | { type: 'carryAudio' }
  /** Stops listening and ringing. */
  | { type: 'fallSilent'; end: LineEnd }
  /**
   * Ends the call at the far end, unless the far end already knows of the end. The event `released` follows, unless the
   * line was closed.
   */
  | { type: 'hangUp'; end: LineEnd }
  /** Releases local resources without notifying the far end, because the call continues without this line. */
  | { type: 'release'; audioUntil: AudioUntil };

export type LineLifeEvent =
  /** The far end rings, holds the call or resumes it. These events may repeat. */
  | { type: 'rang' | 'held' | 'resumed' }
  | { type: 'answered' }
  /** The line of a call of another process was taken over, or could not be taken over. */
  | { type: 'adopted' | 'adoption.failed' }
  /** The call was not answered. The event also confirms a cancelled call. */
  | { type: 'unanswered'; cause: UnansweredLineCause }
  /** The call exists but has lost its media. */
  | { type: 'audio.lost' }
  /** The far end hangs up, or cancels before the answer. */
  | { type: 'left' }
  /** The network, not the far end, ended the call. */
  | { type: 'cut.off' }
  /** The far end has learned of the end of the line, or the timeout for that has passed. */
  | { type: 'released' }
  /** The call has received the final event. */
  | { type: 'reported' }
  /** The call requests a hang-up or closes the line. */
  | { type: 'hangup.requested' | 'closed' }
  /** Another gateway holds the call, or will take it. */
  | { type: 'handed.over'; audioUntil: AudioUntil };

const reports = (type: `line.${'ringing' | 'answered' | 'adopted' | 'held' | 'resumed' | 'failed'}`) =>
  ({ type: 'report', params: { type } }) as const;

const finalReport = ({ by, cause }: LineEnd): LineReport =>
  cause === null ? { type: 'line.ended', by } : { type: 'line.unanswered', cause };

export const lineLifeMachine = setup({
  types: {
    /** Input of the chart. `isAdopted`: the call was answered in another process and taken over by this one. */
    input: {} as { isAdopted: boolean },
    /** Context of the chart. While the line has no end, `end` is the value for a hang-up by the gateway. */
    context: {} as { end: LineEnd },
    events: {} as LineLifeEvent,
    emitted: {} as LineEffect,
  },
  actions: {
    noteAnswered: assign({ end: { by: 'gateway', cause: null } }),
    noteUnanswered: assign((_, cause: UnansweredLineCause) => ({
      end: { by: 'counterparty', cause } as const,
    })),
    noteLeft: assign(({ context: { end } }) => ({ end: { ...end, by: 'counterparty' } as const })),
    noteCutOff: assign({ end: { by: 'network', cause: null } }),
    report: emit((_, report: LineReport) => ({ type: 'report', report })),
    reportEnd: emit(({ context: { end } }) => ({ type: 'report', report: finalReport(end) })),
    carryAudio: emit({ type: 'carryAudio' }),
    fallSilent: emit(({ context: { end } }) => ({ type: 'fallSilent', end })),
    hangUp: emit(({ context: { end } }) => ({ type: 'hangUp', end })),
    release: emit((_, audioUntil: AudioUntil) => ({ type: 'release', audioUntil })),
  },
}).createMachine({
  id: 'line-life',
  description: 'The life of one line, from dialling or arrival to its release.',
  context: ({ input }) => ({ end: { by: 'gateway', cause: input.isAdopted ? null : 'cancelled' } }),
  initial: 'calling',
  on: {
    closed: { target: '.over', actions: ['fallSilent', 'hangUp'] },
    'handed.over': {
      target: '.over',
      actions: { type: 'release', params: ({ event }) => event.audioUntil },
    },
  },
  states: {
    calling: {
      description: 'The call is on its way to an answer, out or in.',
      initial: 'connecting',
      on: {
        answered: { target: 'answered', actions: ['noteAnswered', reports('line.answered'), 'carryAudio'] },
        adopted: { target: 'answered', actions: [reports('line.adopted'), 'carryAudio'] },
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
          on: { rang: { target: 'ringing', actions: reports('line.ringing') } },
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
        'audio.lost': { target: '.failed', actions: reports('line.failed') },
      },
      states: {
        connected: {
          description: 'Both parties are connected.',
          on: { held: { target: 'held', actions: reports('line.held') } },
        },
        held: {
          description: 'The other party has put the call on hold.',
          on: { resumed: { target: 'connected', actions: reports('line.resumed') } },
        },
        failed: { description: 'The audio is lost, and the call will hang up.', on: { 'audio.lost': {} } },
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
          entry: 'hangUp',
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

/** Clock of one line. */
export type LifeTime = {
  /** Returns wall-clock milliseconds since the epoch. */
  now(): number;
  /** Calls back in a later task after this much line time. Returns a function that cancels the callback. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Cancels all timers. */
  stop(): void;
};

export type LineLife = {
  /** Actor of the chart, which is the parent of the charts of the line's legs. */
  readonly actor: AnyActorRef;
  send(event: LineLifeEvent): void;
  is(state: 'calling' | 'answered' | 'leaving' | 'over'): boolean;
  report(report: LineReport): void;
  /** Performs the call's last command to the line. */
  finish: Pick<Line, 'close' | 'release'>;
};

/**
 * Creates the queue of reports from a line to its call. Each report is sent in a task of its own with the time of
 * sending, so a line never reports within a command and times never decrease.
 *
 * Playback reports are sent before other waiting reports, so that the reports of `stopTalking` precede words that were
 * recognized shortly before.
 */
const createReports = (
  time: Pick<LifeTime, 'now' | 'after'>,
  emit: (event: LineEvent) => void,
): { report: (report: LineReport) => void } => {
  const played: LineReport[] = [];
  const others: LineReport[] = [];
  let next: ReturnType<LifeTime['after']> | null = null;
  let lastAt = 0;

  const schedule = (): void => {
    if (played.length + others.length === 0) return;
    next ??= time.after(0, () => {
      next = null;
      const report = played.shift() ?? others.shift();
      schedule();
      lastAt = Math.max(lastAt, time.now());
      if (report !== undefined) emit({ ...report, at: lastAt });
    });
  };

  return {
    report(report) {
      (report.type === 'line.played' ? played : others).push(report);
      schedule();
    },
  };
};

/**
 * Runs the chart as an actor. Effects run once the new state is reached, so a driver that calls `is` in an effect sees
 * the new state.
 */
export const runLineLife = (options: {
  time: LifeTime;
  emit: (event: LineEvent) => void;
  /** Effects of the chart, except reports. */
  actions: {
    carryAudio(): void;
    fallSilent(end: LineEnd): void;
    hangUp(end: LineEnd): void;
    release(audioUntil: AudioUntil): void;
  };
  /** Whether the call was answered in another process. */
  isAdopted?: boolean;
  /**
   * Line actor of the call. This parent makes the chart part of the call's actor system, where the inspector sees it.
   */
  parent?: AnyActorRef | undefined;
  /** Called when the line holds no resources any more and its clock is stopped. */
  onOver: () => void;
}): LineLife => {
  const { time, actions, parent, isAdopted = false } = options;
  const actor = createActor(lineLifeMachine, {
    ...inSystemOf(parent, 'line-life'),
    input: { isAdopted },
  });

  const { report } = createReports(time, (event) => {
    if (event.type === 'line.unanswered' || event.type === 'line.ended') send({ type: 'reported' });
    options.emit(event);
  });

  const perform = (effect: LineEffect): void => {
    switch (effect.type) {
      case 'report':
        return report(effect.report);
      case 'fallSilent':
      case 'hangUp':
        return actions[effect.type](effect.end);
      case 'carryAudio':
        return actions.carryAudio();
      case 'release':
        return actions.release(effect.audioUntil);
    }
  };

  const send: (event: LineLifeEvent) => void = performEffects(actor, perform);
  actor.subscribe({
    complete() {
      time.stop();
      options.onOver();
    },
  });
  actor.start();

  return {
    actor,
    send,
    is: (state) => actor.getSnapshot().matches(state),
    report,
    finish: {
      close: () => send({ type: 'closed' }),
      release: (audioUntil) => send({ type: 'handed.over', audioUntil }),
    },
  };
};
