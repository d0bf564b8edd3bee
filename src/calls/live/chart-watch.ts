/** Publishes the states of the charts of a call in progress, and the current words of its agent, to observers. */
import type { AnyActorRef } from 'xstate';
import { sayingNow } from '#machines/turns.ts';
import { lineChartNames, type LineChartName, type LineChartStates } from '#src/domain/chart-name.ts';
import type { Switchboard } from './switchboard.ts';

/** States of the charts of a call. A leg that ended while it was observed keeps its last state. */
export type ChartState = LineChartStates & {
  /** State of the call, such as `active.talking.hangup-pending`. */
  call: string;
  /** State of the conversation, such as `replying.speaking`; null outside of a conversation. */
  conversation: string | null;
  /** State of the voicemail chart, such as `awaiting-beep`; null unless the agent leaves a message on a machine. */
  voicemail: string | null;
};

/** Words of the agent's turn that were heard, and the sentence being spoken; null between turns. */
export type WatchedState = ChartState & { saying: string | null };

/**
 * Calls back immediately and after each transition of a chart of the call, until the call ends. Returns undefined for a
 * call that does not run here. The returned function unsubscribes. A call without observers has no extra cost.
 */
export type WatchChart = (callId: string, onState: (state: WatchedState) => void) => (() => void) | undefined;

/** Formats the state of a chart as one word: `active.talking.conversing`. */
export const stateName = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([outer, inner]) => `${outer}.${stateName(inner)}`)
    .join(' ');
};

const valueOf = (snapshot: unknown): unknown =>
  typeof snapshot === 'object' && snapshot !== null && 'value' in snapshot ? snapshot.value : null;

type Subscription = { unsubscribe(): void };

const ignore = (): void => {};

export const createChartWatch =
  (switchboard: Pick<Switchboard, 'find'>): WatchChart =>
  (callId, onState) => {
    const call = switchboard.find(callId);
    if (call === undefined) return undefined;
    const watched = new Map<object, Subscription>();
    /** Charts of the line, including those of legs that are over. */
    const lineCharts = new Map<LineChartName, AnyActorRef>();
    let last = '';

    const watch = (actor: AnyActorRef | undefined): void => {
      if (actor === undefined || watched.has(actor)) return;
      // The error is ignored, because the switchboard reports a crash. Without an error observer here, XState would
      // throw the error at the process.
      watched.set(actor, actor.subscribe({ next: look, error: ignore }));
    };

    const statesOfLine = (): LineChartStates => {
      for (const name of lineChartNames) {
        const chart: AnyActorRef | undefined = call.system.get(name);
        if (chart !== undefined) lineCharts.set(name, chart);
      }
      return Object.fromEntries(
        [...lineCharts].map(([name, chart]) => {
          watch(chart);
          return [name, stateName(valueOf(chart.getSnapshot()))];
        }),
      );
    };

    const look = (): void => {
      const { value, children } = call.getSnapshot();
      const conversation = children.conversation?.getSnapshot();
      const voicemail = conversation?.children.voicemail;
      watch(children.conversation);
      watch(voicemail);
      const state = {
        call: stateName(value),
        conversation: conversation === undefined ? null : stateName(conversation.value),
        voicemail: voicemail === undefined ? null : stateName(voicemail.getSnapshot().value),
        ...statesOfLine(),
        saying: conversation === undefined ? null : sayingNow(conversation.context),
      };
      const now = JSON.stringify(state);
      if (now === last) return;
      last = now;
      onState(state);
    };

    watch(call);
    look();
    return () => {
      for (const subscription of watched.values()) subscription.unsubscribe();
    };
  };
