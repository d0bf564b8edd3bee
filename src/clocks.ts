import type { Clock } from '#src/domain/clock.ts';

const nodeTimer = (timer: unknown): NodeJS.Timeout | undefined =>
  timer instanceof Object && Symbol.toPrimitive in timer ? (timer as NodeJS.Timeout) : undefined;

/**
 * Monotonic clock: the wall clock at the start of the process, advanced evenly. Setting the machine's clock does not
 * change it. The clock is for measurements and timers, `systemClock` for display.
 */
const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());

/**
 * Clock whose timers run `speed` times faster while `now` is real time. Simulated lines and calls run faster, and
 * timestamps stay correct (guides/design/start.md, "Clocks").
 */
export const acceleratedClock = (speed: number): Clock => ({
  now: steadyNow,
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds / speed),
  clearTimeout: (timer) => clearTimeout(nodeTimer(timer)),
});

export const steadyClock: Clock = acceleratedClock(1);

/** The wall clock, which may be set. */
export const systemClock: Clock = { ...steadyClock, now: () => Date.now() };
