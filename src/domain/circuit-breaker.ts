/**
 * Circuit breaker of a server, shared by all its users:
 *
 * - closed: all users may send requests. It opens after failures for a number of different users in a row; a success
 * resets the count.
 * - open: requests are refused until the cool-down ends.
 * - half-open: one user may send a trial request. Success closes the breaker; failure opens it for twice as long.
 * Without a result for a while, another user may try.
 */
import type { Clock } from './clock.ts';

export type CoolDown = Readonly<{
  /** Cool-down after opening, which doubles after each failed trial. */
  firstMs: number;
  /** Maximum of the cool-down. */
  longestMs: number;
}>;

export type CircuitBreaker = {
  /** A breaker whose trial is due still counts as open. */
  state(): 'closed' | 'open' | 'half-open';
  /**
   * Whether a request may be sent. A true result counts as an attempt: after a cool-down one user may try, and after a
   * while another.
   */
  mayTry(): boolean;
  worked(): void;
  /**
   * Records a failure; returns whether the breaker opened. `by` names the user whose request failed; without it each
   * failure counts separately.
   */
  failed(by?: string): boolean;
  /** Time of the next trial. */
  remainingMs(): number;
};

type State =
  | { is: 'closed'; letDown: Set<unknown> }
  | { is: 'open'; coolMs: number; until: number }
  | { is: 'half-open'; coolMs: number; trialUntil: number };

export const createCircuitBreaker = (
  clock: Pick<Clock, 'now'>,
  coolDown: CoolDown,
  /** Number of different users that must fail in a row. */
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
      // Failures at about the same time count as one: when a server goes down, all waiting requests fail together.
      if (state.is === 'open' && remainingMs() > 0) return false;
      return open(Math.min(coolDown.longestMs, state.coolMs * 2));
    },
    remainingMs,
  };
};
