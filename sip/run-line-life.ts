/**
 * Runs the life of a line (`machines/line-life.ts`) as an actor for its driver. Effects of the chart run once the new
 * state is reached, so a driver that asks `is` in an effect sees the new state. Reports are sent by `line-reports.ts`
 * until the final one.
 */
import { createActor, type AnyActorRef } from 'xstate';
import type { Line, LineEvent, LineReport } from '#machines/line.ts';
import { lineLifeMachine, type LineEffect, type LineEnd, type LineLifeEvent } from '#machines/line-life.ts';
import { createLineReports } from './line-reports.ts';
import { inSystemOf, performEffects } from './chart-actors.ts';
import type { LineTime } from '#sip/audio/line-time.ts';

export type LineLife = {
  /** The chart's actor, parent of the charts of its legs. */
  readonly actor: AnyActorRef;
  send(event: LineLifeEvent): void;
  is(state: 'calling' | 'answered' | 'leaving' | 'over'): boolean;
  report(report: LineReport): void;
  /** The call's last command to the line. */
  letGo: Pick<Line, 'close' | 'leave'>;
};

export const runLineLife = (options: {
  time: LineTime;
  emit: (event: LineEvent) => void;
  /** Effects of the chart, except reports. */
  actions: {
    carrySound(): void;
    fallSilent(end: LineEnd): void;
    release(end: LineEnd): void;
    leave(): void;
  };
  /** The call was answered in another process. */
  isAdopted?: boolean;
  /** The line actor of the call: makes the chart part of the call's actor system, where the inspector sees it. */
  parent?: AnyActorRef | undefined;
  /** The line holds no resources; its clock is stopped. */
  onOver: () => void;
}): LineLife => {
  const { time, actions, parent, isAdopted = false } = options;
  const actor = createActor(lineLifeMachine, {
    ...inSystemOf(parent, 'line-life'),
    input: { isAdopted },
  });

  const { report } = createLineReports(time, (event) => {
    if (event.type === 'line.unanswered' || event.type === 'line.ended') send({ type: 'reported' });
    options.emit(event);
  });

  const perform = (effect: LineEffect): void => {
    switch (effect.type) {
      case 'report':
        return report(effect.report);
      case 'fallSilent':
      case 'release':
        return actions[effect.type](effect.end);
      case 'carrySound':
      case 'leave':
        return actions[effect.type]();
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
    letGo: { close: () => send({ type: 'closed' }), leave: () => send({ type: 'handed.over' }) },
  };
};
