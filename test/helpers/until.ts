import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 15;
/** Pause before the next poll, as a multiple of the duration of the last one: a busy machine is polled less often. */
const pausePerPoll = 4;
const longestPauseMs = 500;

/** Polls until there is a value. The time limit ends a test that hangs; a busy machine does not reach it. */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  withinMs = 60_000,
): Promise<Value> => {
  // Monotonic, because tests change the wall clock.
  const deadline = performance.now() + withinMs;
  for (;;) {
    const asked = performance.now();
    const value = await ask();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain: ${what}`);
    const pauseMs = (performance.now() - asked) * pausePerPoll;
    await sleep(Math.min(Math.max(pollMs, pauseMs), longestPauseMs));
  }
};
