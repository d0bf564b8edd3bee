/**
 * A clock that stands still until a test advances it, and lets the test wait for the timer that it is about to reach.
 */
import type { Clock } from '#src/domain/clock.ts';

export type SteppedClock = Clock & {
  /** Advances and fires due timers in order. */
  advance: (milliseconds: number) => void;
  /** Resolves as soon as a timer is set that fires exactly this long from now. */
  timerIn: (milliseconds: number) => Promise<void>;
};

type Timer = { due: number; callback: () => void };

/** The clock starts at the real time, so that receivers accept the timestamps. */
export const createSteppedClock = (): SteppedClock => {
  let now = Date.now();
  const timers = new Set<Timer>();
  const waiting = new Set<{ due: number; resolve: () => void }>();

  return {
    now: () => now,
    setTimeout(callback, milliseconds) {
      const timer = { due: now + milliseconds, callback };
      timers.add(timer);
      if (milliseconds <= 0) setImmediate(() => timers.delete(timer) && callback());
      for (const waiter of waiting) {
        if (waiter.due !== timer.due) continue;
        waiting.delete(waiter);
        waiter.resolve();
      }
      return timer;
    },
    clearTimeout(timer) {
      timers.delete(timer as Timer);
    },
    advance(milliseconds) {
      now += milliseconds;
      for (const timer of [...timers].toSorted((one, other) => one.due - other.due)) {
        if (timer.due > now || !timers.delete(timer)) continue;
        timer.callback();
      }
    },
    timerIn(milliseconds) {
      const due = now + milliseconds;
      if ([...timers].some((timer) => timer.due === due)) return Promise.resolve();
      return new Promise((resolve) => waiting.add({ due, resolve }));
    },
  };
};
