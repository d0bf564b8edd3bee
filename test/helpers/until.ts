import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 15;
/** The pause before the next poll, as a multiple of how long the last one took: a busy machine is polled less often. */
const pausePerPoll = 4;
const longestPauseMs = 500;

/** Polls until there is a value. The limit ends a test that hangs; a busy machine does not reach it. */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  withinMs = 60_000,
): Promise<Value> => {
  // Tests set the wall clock.
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
