import type { Clock } from '#src/domain/clock.ts';

const nodeTimer = (timer: unknown): NodeJS.Timeout | undefined =>
  timer instanceof Object && Symbol.toPrimitive in timer ? (timer as NodeJS.Timeout) : undefined;

/**
 * The wall clock as it was when the process began, going on evenly from there: whoever sets the clock of the machine
 * does not move it. What is measured, or takes its turn, goes by it; what is shown goes by `systemClock`.
 */
const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());

/**
 * Runs timers `speed` times faster while `now` goes on in real time: the simulated line and the timers of its calls
 * hurry, timestamps do not lie (guides/design/start.md, "Clocks").
 */
export const acceleratedClock = (speed: number): Clock => ({
  now: steadyNow,
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds / speed),
  clearTimeout: (timer) => clearTimeout(nodeTimer(timer)),
});

export const steadyClock: Clock = acceleratedClock(1);

/** The wall clock, which may be set forward and back. */
export const systemClock: Clock = { ...steadyClock, now: () => Date.now() };
