import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 15;
/** Pause before the next poll, as a multiple of the duration of the last one: a busy machine is polled less often. */
const pausePerPoll = 4;
/** The pause grows to this share of the time waited so far: polls of a whole gateway cost more than what is waited for. */
const pausePerWaited = 0.1;
/** The longest pause, as a multiple of the duration of the last poll: a poll that advances a simulated clock is short. */
const longestPausePerPoll = 20;
const longestPauseMs = 500;

/** Polls until there is a value. The time limit ends a test that hangs; a busy machine does not reach it. */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  withinMs = 60_000,
): Promise<Value> => {
  // Monotonic, because tests change the wall clock.
  const begunAt = performance.now();
  const deadline = begunAt + withinMs;
  for (;;) {
    const asked = performance.now();
    const value = await ask();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain: ${what}`);
    const now = performance.now();
    const tookMs = now - asked;
    const grownMs = Math.min((now - begunAt) * pausePerWaited, tookMs * longestPausePerPoll);
    await sleep(Math.min(Math.max(pollMs, tookMs * pausePerPoll, grownMs), longestPauseMs));
  }
};
