import { setTimeout as delay } from 'node:timers/promises';

/** Resolves at this time in the notation of `Date.now()`; at once if a busy machine is already later than that. */
export const untilTime = (at: number): Promise<void> => delay(Math.max(0, at - Date.now()));
