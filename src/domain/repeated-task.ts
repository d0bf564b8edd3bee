import type { Clock } from './clock.ts';

/** Work that is done again and again, each time so long after it has ended. */
export type RepeatedTask = {
  /** The work is done for the first time after so many milliseconds. */
  start(afterMs: number): void;
  /** Begins no further run, and waits for the one under way. Idempotent. */
  stop(): Promise<void>;
};

export const createRepeatedTask = (options: {
  /** Must not reject. The signal says that the task was stopped. */
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
