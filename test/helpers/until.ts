import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 15;

/**
 * Asks until the answer is there. The limit ends a test that would wait for ever; it says nothing about how long
 * something may take, so it is far above what a busy machine needs.
 */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  withinMs = 60_000,
): Promise<Value> => {
  // Tests set the wall clock.
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain: ${what}`);
    await sleep(pollMs);
  }
};
