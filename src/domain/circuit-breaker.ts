/**
 * Circuit breaker of a server, shared by all its users.
 * - closed: all users may send requests. The breaker opens after failures of a number of different users in a row; a
 *   success resets the count.
 * - open: requests are refused until the cool-down ends.
 * - half-open: one user may send a trial request. If it succeeds, the breaker closes; if it fails, the breaker opens
 *   for twice as long. If there is no result for a while, another user may send a trial request.
 */
import type { Clock } from './clock.ts';

export type CoolDown = Readonly<{
  /** Cool-down after opening, in milliseconds; doubled after each failed trial. */
  firstMs: number;
  /** Maximum cool-down in milliseconds. */
  longestMs: number;
}>;

export type CircuitBreaker = {
  /** Returns the state. A breaker whose trial is due still counts as open. */
  state(): 'closed' | 'open' | 'half-open';
  /**
   * Whether a request may be sent. A true result counts as an attempt: after a cool-down one user may try, and after a
   * further while another one.
   */
  mayTry(): boolean;
  worked(): void;
  /**
   * Records a failure; returns whether the breaker opened. `by` names the user whose request failed. Without `by`, each
   * failure counts separately.
   */
  failed(by?: string): boolean;
  /** Returns the milliseconds until the next trial. */
  remainingMs(): number;
};

type State =
  | { is: 'closed'; letDown: Set<unknown> }
  | { is: 'open'; coolMs: number; until: number }
  | { is: 'half-open'; coolMs: number; trialUntil: number };

export const createCircuitBreaker = (
  clock: Pick<Clock, 'now'>,
  coolDown: CoolDown,
  /** Number of different users whose requests must fail in a row before the breaker opens. */
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
      // Failures at about the same time count as one, because all waiting requests fail together when a server goes
      // down.
      if (state.is === 'open' && remainingMs() > 0) return false;
      return open(Math.min(coolDown.longestMs, state.coolMs * 2));
    },
    remainingMs,
  };
};
