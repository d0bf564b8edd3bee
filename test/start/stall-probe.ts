/**
 * Runs a gateway and watches it; not loaded by `--import`, which would disable the bundle of packages. Between the
 * messages `watch` and `report` it measures the longest turn of the event loop, in milliseconds of processor time of the
 * main thread: other threads and processes do not count. The message `collect` triggers a garbage collection.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const garbageCollector: unknown = runInNewContext('gc');
const collectGarbage = (): void => {
  if (typeof garbageCollector === 'function') garbageCollector();
};

/** The same work on every machine, to measure its speed. */
const referenceWork = (): number => {
  let sum = 0;
  for (let step = 0; step < 5_000_000; step += 1) sum = (sum * 31 + step) % 1_000_003;
  return sum;
};

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const costOf = (work: () => unknown): number => {
  const before = cpuMs();
  work();
  return cpuMs() - before;
};

let isWatching = false;
let longestMs = 0;

const look = (before: number): void => {
  const now = cpuMs();
  longestMs = Math.max(longestMs, now - before);
  if (isWatching) setImmediate(look, now);
};

process.on('message', (message) => {
  if (message === 'watch') {
    isWatching = true;
    longestMs = 0;
    setImmediate(look, cpuMs());
    process.send?.({ watching: true });
  }
  if (message === 'report') {
    isWatching = false;
    // Reports in the next turn: the current one is still being measured.
    setImmediate(() => process.send?.({ longestMs }));
  }
  if (message === 'collect') {
    collectGarbage();
    process.send?.({ hasCollected: true });
  }
  if (message === 'calibrate')
    process.send?.({ referenceMs: Math.min(...[1, 2, 3, 4, 5].map(() => costOf(referenceWork))) });
});

await import(new URL('../../src/main.mjs', import.meta.url).href);
