import type { Clock } from './clock.ts';

/** A task that is repeated at a fixed delay after each run. */
export type RepeatedTask = {
  /** Starts the task. `afterMs` is the delay before the first run. */
  start(afterMs: number): void;
  /** Stops further runs and waits for the current one. Idempotent. */
  stop(): Promise<void>;
};

export const createRepeatedTask = (options: {
  /** Work of each run; must not reject. The signal aborts when the task is stopped. */
  work: (stopped: AbortSignal) => Promise<void>;
  everyMs: number;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
}): RepeatedTask => {
  const { work, everyMs, clock } = options;
  const stopping = new AbortController();
  const stopped = stopping.signal;
  let timer: unknown;
  let underWay: Promise<void> = Promise.resolve();

  const workAndWait = async (): Promise<void> => {
    await work(stopped);
    workAfter(everyMs);
  };

  const workAfter = (milliseconds: number): void => {
    if (stopped.aborted) return;
    timer = clock.setTimeout(() => {
      underWay = workAndWait();
    }, milliseconds);
  };

  return {
    start: workAfter,
    stop() {
      stopping.abort();
      clock.clearTimeout(timer);
      return underWay;
    },
  };
};
