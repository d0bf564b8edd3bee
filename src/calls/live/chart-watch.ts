/**
 * Publishes the states of the charts of a call in progress, and the current words of both sides, to observers. The
 * preliminary words of the other party are read from the line while it speaks: they are no event of the call, and are
 * neither stored nor logged.
 */
import type { AnyActorRef } from 'xstate';
import { sayingNow } from '#machines/turns.ts';
import { lineChartNames, type LineChartName, type LineChartStates } from '#src/domain/chart-name.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallBus } from '../call-bus.ts';
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

/**
 * `saying`: words of the agent's turn that were heard, and the sentence being spoken. `hearing`: preliminary words of
 * the other party's turn, as recognized so far. Each is null between turns.
 */
export type WatchedState = ChartState & { saying: string | null; hearing: string | null };

/** Interval at which the words of a speaking party are read, in milliseconds: at most five states a second. */
const hearingMs = 200;

/** Maximum length of preliminary words in characters. Longer turns are cut at the front. */
const longestHearing = 1_000;

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
  ({
    find,
    hearing,
    bus,
    clock,
  }: Pick<Switchboard, 'find'> & {
    /** Returns the preliminary words of the other party; empty without words. */
    hearing: (callId: string) => string;
    bus: Pick<CallBus, 'subscribe'>;
    clock: Clock;
  }): WatchChart =>
  (callId, onState) => {
    const call = find(callId);
    if (call === undefined) return undefined;
    const watched = new Map<object, Subscription>();
    /** Charts of the line, including those of legs that are over. */
    const lineCharts = new Map<LineChartName, AnyActorRef>();
    let last = '';
    /** Whether the other party speaks, according to the line. */
    let isSpeaking = false;
    let nextRead: unknown;

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

    /** Words before the other party's consent are not published. */
    const wordsHeard = (): string | null => {
      const words = call.getSnapshot().context.consentIsAwaited ? '' : hearing(callId);
      return words === '' ? null : words.slice(-longestHearing).toWellFormed();
    };

    const readWords = (): void => {
      clock.clearTimeout(nextRead);
      look();
      if (isSpeaking || wordsHeard() !== null) nextRead = clock.setTimeout(readWords, hearingMs);
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
        hearing: wordsHeard(),
      };
      const now = JSON.stringify(state);
      if (now === last) return;
      last = now;
      onState(state);
    };

    const stopLine = bus.subscribe(
      'line',
      ({ event: { type } }) => {
        if (type === 'line.heard' || type === 'line.ended') isSpeaking = false;
        if (type !== 'line.speech') return;
        isSpeaking = true;
        readWords();
      },
      callId,
    );
    watch(call);
    readWords();
    return () => {
      stopLine();
      clock.clearTimeout(nextRead);
      for (const subscription of watched.values()) subscription.unsubscribe();
    };
  };
