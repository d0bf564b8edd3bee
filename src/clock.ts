import type { Clock } from '#src/domain/clock.ts';

const nodeTimer = (timer: unknown): NodeJS.Timeout | undefined =>
  timer instanceof Object && Symbol.toPrimitive in timer ? (timer as NodeJS.Timeout) : undefined;

/**
 * Runs timers `speed` times faster while `now` stays the wall clock: the simulated line and the timers of its calls
 * hurry, timestamps do not lie (decisions 7, `GW_SIMULATOR_SPEED`).
 */
export const acceleratedClock = (speed: number): Clock => ({
  now: Date.now,
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds / speed),
  clearTimeout: (timer) => clearTimeout(nodeTimer(timer)),
});

export const systemClock: Clock = acceleratedClock(1);
