import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 15;

/** Asks until the answer is there; fails with `what` when that takes longer than a test may. */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  withinMs = 20_000,
): Promise<Value> => {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain: ${what}`);
    await sleep(pollMs);
  }
};
