/** Where the charts of a call in progress are, for those who look on, and what its agent is saying. */
import type { AnyActorRef } from 'xstate';
import { sayingNow } from '#machines/turns.ts';
import type { Switchboard } from './switchboard.ts';

export type ChartState = {
  /** Such as `active.talking.hangup-pending`. */
  call: string;
  /** Such as `replying.speaking`; null while there is no conversation. */
  conversation: string | null;
  /** Such as `awaiting-beep`; null while no machine is left a message. */
  voicemail: string | null;
};

/** With the words of the agent's turn that have been heard, and the sentence that is being said; null between turns. */
export type WatchedState = ChartState & { saying: string | null };

/**
 * Calls back at once and whenever a chart of the call has moved, until the call is over. Undefined for a call that this
 * gateway does not hold. The returned function ends it. It costs nothing where nobody looks on.
 */
export type WatchChart = (callId: string, onState: (state: WatchedState) => void) => (() => void) | undefined;

/** The state of a chart in one word: `active.talking.conversing`. */
export const stateName = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([outer, inner]) => `${outer}.${stateName(inner)}`)
    .join(' ');
};

type Subscription = { unsubscribe(): void };

const ignore = (): void => {};

export const createChartWatch =
  (switchboard: Pick<Switchboard, 'find'>): WatchChart =>
  (callId, onState) => {
    const call = switchboard.find(callId);
    if (call === undefined) return undefined;
    const watched = new Map<object, Subscription>();
    let last = '';

    const watch = (actor: AnyActorRef | undefined): void => {
      if (actor === undefined || watched.has(actor)) return;
      // A crash is the switchboard's to tell; without an observer here it would be thrown at the process.
      watched.set(actor, actor.subscribe({ next: look, error: ignore }));
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
