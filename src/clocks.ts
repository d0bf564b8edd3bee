import type { Clock } from '#src/domain/clock.ts';

const nodeTimer = (timer: unknown): NodeJS.Timeout | undefined =>
  timer instanceof Object && Symbol.toPrimitive in timer ? (timer as NodeJS.Timeout) : undefined;

/** A timer that fires this much too late, in milliseconds, shows that the process was frozen or blocked. */
const lateMs = 500;

/**
 * Monotonic clock: the wall clock at the start of the process, advanced evenly. Setting the machine's clock does not
 * change it. The clock is for measurements and timers, the system clock for display.
 */
const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());

/**
 * Clock whose timers run `speed` times faster while `now` is real time. Simulated lines and calls run faster, and
 * timestamps stay correct.
 *
 * After a freeze, what has arrived meanwhile is read before a late timer runs, so that an answer in time is not mistaken
 * for a missing one; Node alone runs timers first. The order of timers stays the same (guides/design/start.md,
 * "Clocks").
 */
export const acceleratedClock = (speed: number): Clock => {
  /** Timers that fired late and have not run yet, in the order in which they fired. */
  const waiting = new Map<NodeJS.Timeout, NodeJS.Immediate>();

  return {
    now: steadyNow,
    setTimeout(callback, milliseconds) {
      const afterMs = milliseconds / speed;
      const dueAt = performance.now() + afterMs;
      const timer = setTimeout(() => {
        if (waiting.size === 0 && performance.now() - dueAt < lateMs) return callback();
        const run = (): void => {
          waiting.delete(timer);
          callback();
        };
        waiting.set(timer, setImmediate(run));
      }, afterMs);
      return timer;
    },
    clearTimeout(timer) {
      const started = nodeTimer(timer);
      if (started === undefined) return;
      clearTimeout(started);
      clearImmediate(waiting.get(started));
      waiting.delete(started);
    },
  };
};

/** Creates the clocks of a process. Setting the machine's clock changes the system clock only. */
export const createClocks = (): { steadyClock: Clock; systemClock: Clock } => {
  const steadyClock = acceleratedClock(1);
  return { steadyClock, systemClock: { ...steadyClock, now: () => Date.now() } };
};

/** Clocks of commands. A gateway has its own. */
export const { steadyClock, systemClock } = createClocks();
