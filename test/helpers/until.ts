import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 15;
/** Who asks a busy machine is busy with something else most of the time. */
const restPerAsk = 4;

/**
 * Asks until the answer is there. The limit ends a test that would wait for ever; it says nothing about how long
 * something may take, so it is far above what a busy machine needs.
 */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  withinMs = 300_000,
): Promise<Value> => {
  // Tests set the wall clock.
  const deadline = performance.now() + withinMs;
  for (;;) {
    const asked = performance.now();
    const value = await ask();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain: ${what}`);
    await sleep(Math.max(pollMs, (performance.now() - asked) * restPerAsk));
  }
};
