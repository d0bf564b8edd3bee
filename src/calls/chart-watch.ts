/** Where the charts of a call in progress are, for those who look on: names of states and nothing else of a call. */
import type { Switchboard } from './switchboard.ts';
import { stateName } from './state-name.ts';

export type ChartState = {
  /** Such as `active.hangup-pending`. */
  call: string;
  /** Such as `replying.speaking`; null while there is no conversation. */
  conversation: string | null;
};

/**
 * Calls back at once and whenever a chart of the call has moved, until the call is over. Undefined for a call that this
 * gateway does not hold. The returned function ends it. It costs nothing where nobody looks on.
 */
export type WatchChart = (callId: string, onState: (state: ChartState) => void) => (() => void) | undefined;

type Subscription = { unsubscribe(): void };

const ignore = (): void => {};

export const createChartWatch =
  (switchboard: Pick<Switchboard, 'find'>): WatchChart =>
  (callId, onState) => {
    const call = switchboard.find(callId);
    if (call === undefined) return undefined;
    let last = '';
    let conversation: Subscription | undefined;
    let watched: unknown;

    const look = (): void => {
      const { value, children } = call.getSnapshot();
      const child = children.conversation;
      const state = {
        call: stateName(value),
        conversation: child === undefined ? null : stateName(child.getSnapshot().value),
      };
      if (child !== undefined && child !== watched) {
        watched = child;
        conversation?.unsubscribe();
        // A crash is the switchboard's to tell; without an observer here it would be thrown at the process.
        conversation = child.subscribe({ next: look, error: ignore });
      }
      const now = `${state.call} ${state.conversation}`;
      if (now === last) return;
      last = now;
      onState(state);
    };

    const subscription = call.subscribe({ next: look, error: ignore });
    look();
    return () => {
      subscription.unsubscribe();
      conversation?.unsubscribe();
    };
  };
