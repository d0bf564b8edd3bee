/**
 * Whether a server that failed is asked again, as a machine of three states that is shared by all who ask:
 *
 * - closed: everybody may ask. It opens when so many different ones in a row were let down; each success forgets them.
 * - open: nobody may ask until the cool-down is over.
 * - half-open: one may try. Its success closes, its failure opens again for twice as long. When nothing is heard of it
 *   for a while, another may try.
 */
import type { Clock } from './clock.ts';

export type CoolDown = Readonly<{
  /** After it opened; after each trial that failed it is twice as long … */
  firstMs: number;
  /** … up to this. */
  longestMs: number;
}>;

export type CircuitBreaker = {
  /** Whether a trial of an open one is due counts as open. */
  state(): 'closed' | 'open' | 'half-open';
  /** Taken as an attempt: of all who ask after a cool-down, one may try, and after a while another. */
  mayTry(): boolean;
  worked(): void;
  /** Tells whether it opened. `by` names who was let down; without it each failure is another's. */
  failed(by?: string): boolean;
  /** Until somebody may try. */
  remainingMs(): number;
};

type State =
  | { is: 'closed'; letDown: Set<unknown> }
  | { is: 'open'; coolMs: number; until: number }
  | { is: 'half-open'; coolMs: number; trialUntil: number };

export const createCircuitBreaker = (
  clock: Pick<Clock, 'now'>,
  coolDown: CoolDown,
  /** How many different ones are let down in a row until it opens. */
  opensAfter = 1,
): CircuitBreaker => {
  const closed = (): State => ({ is: 'closed', letDown: new Set() });
  let state = closed();

  const open = (coolMs: number): boolean => {
    state = { is: 'open', coolMs, until: clock.now() + coolMs };
    return true;
  };

  const remainingMs = (): number => {
    if (state.is === 'closed') return 0;
    return Math.max(0, (state.is === 'open' ? state.until : state.trialUntil) - clock.now());
  };

  return {
    state: () => state.is,
    mayTry() {
      if (state.is === 'closed') return true;
      if (remainingMs() > 0) return false;
      state = { is: 'half-open', coolMs: state.coolMs, trialUntil: clock.now() + coolDown.firstMs };
      return true;
    },
    worked() {
      state = closed();
    },
    failed(by) {
      if (state.is === 'closed') {
        state.letDown.add(by ?? Symbol('another'));
        return state.letDown.size >= opensAfter && open(coolDown.firstMs);
      }
      // When a server goes down, all who wait for it fail at about the same time: that is one failure.
      if (state.is === 'open' && remainingMs() > 0) return false;
      return open(Math.min(coolDown.longestMs, state.coolMs * 2));
    },
    remainingMs,
  };
};
