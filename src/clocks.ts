import type { Clock } from '#src/domain/clock.ts';

const nodeTimer = (timer: unknown): NodeJS.Timeout | undefined =>
  timer instanceof Object && Symbol.toPrimitive in timer ? (timer as NodeJS.Timeout) : undefined;

/**
 * Monotonic clock: the wall clock at the start of the process, advanced evenly; setting the machine's clock does not
 * change it. Used for measurements and timers; `systemClock` is for display.
 */
const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());

/**
 * Runs timers `speed` times faster while `now` is real time: simulated lines and calls run faster, timestamps stay
 * correct (guides/design/start.md, "Clocks").
 */
export const acceleratedClock = (speed: number): Clock => ({
  now: steadyNow,
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds / speed),
  clearTimeout: (timer) => clearTimeout(nodeTimer(timer)),
});

export const steadyClock: Clock = acceleratedClock(1);

/** The wall clock, which may be set. */
export const systemClock: Clock = { ...steadyClock, now: () => Date.now() };
