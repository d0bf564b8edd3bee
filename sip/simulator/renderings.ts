/** Queue of background work with limited concurrency. Closing the queue waits for the work for a limited time. */
import type { Clock } from '#src/domain/clock.ts';

export type Work = (signal: AbortSignal) => Promise<void>;

export type Renderings = {
  /** Adds work. Its signal aborts when the time for closing is over. `work` must handle its own failures. */
  add(work: Work): void;
  /** Resolves when all work is done. Work that is unfinished after this time is aborted. */
  close(withinMs: number): Promise<void>;
};

export const createRenderings = (clock: Clock, atOnce: number): Renderings => {
  const controller = new AbortController();
  const waiting: Work[] = [];
  let running = 0;
  let reportIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  const startNext = (): void => {
    while (running < atOnce) {
      const work = waiting.shift();
      if (work === undefined) break;
      running += 1;
      void work(controller.signal).finally(() => {
        running -= 1;
        startNext();
      });
    }
    if (running === 0) reportIdle?.();
  };

  return {
    add(work) {
      waiting.push(work);
      startNext();
    },
    close(withinMs) {
      closing ??= new Promise((resolve) => {
        const timer = clock.setTimeout(
          () => controller.abort(new Error('The gateway was closed before the recording was done')),
          withinMs,
        );
        reportIdle = () => {
          clock.clearTimeout(timer);
          resolve();
        };
        startNext();
      });
      return closing;
    },
  };
};
