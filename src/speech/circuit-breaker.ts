import type { Clock } from '#src/domain/clock.ts';

export type CoolDown = Readonly<{
  /** After a first failure; after each further one it is twice as long … */
  firstMs: number;
  /** … up to this. */
  longestMs: number;
}>;

/** Whether an engine that failed is asked again. It is shared by all calls. */
export type CircuitBreaker = {
  /** Taken as an attempt: of all who ask after a cool-down, one may try, and after a while another. */
  mayTry(): boolean;
  worked(): void;
  failed(): void;
  /** Until somebody may try. */
  remainingMs(): number;
};

export const createCircuitBreaker = (clock: Pick<Clock, 'now'>, coolDown: CoolDown): CircuitBreaker => {
  let coolMs = 0;
  let closedUntil = 0;
  let isTrial = false;
  return {
    mayTry() {
      if (coolMs === 0) return true;
      if (clock.now() < closedUntil) return false;
      isTrial = true;
      closedUntil = clock.now() + coolDown.firstMs;
      return true;
    },
    worked() {
      coolMs = 0;
      closedUntil = 0;
      isTrial = false;
    },
    failed() {
      // When an engine goes down, all of its calls fail at about the same time: that is one failure.
      if (clock.now() < closedUntil && !isTrial) return;
      isTrial = false;
      coolMs = Math.min(coolDown.longestMs, coolMs === 0 ? coolDown.firstMs : coolMs * 2);
      closedUntil = clock.now() + coolMs;
    },
    remainingMs: () => Math.max(0, closedUntil - clock.now()),
  };
};
