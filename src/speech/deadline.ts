import type { Clock } from '#src/domain/clock.ts';

/** An abort signal with a time limit that can be restarted. */
export type Deadline = {
  signal: AbortSignal;
  /** Restarts the time limit. */
  set(milliseconds: number, reason: Error): void;
  /** Releases the timer and the signal's listeners. */
  stop(): void;
};

export const createDeadline = (clock: Clock): Deadline => {
  const controller = new AbortController();
  let timer: unknown;
  return {
    signal: controller.signal,
    set(milliseconds, reason) {
      clock.clearTimeout(timer);
      timer = clock.setTimeout(() => controller.abort(reason), milliseconds);
    },
    stop() {
      clock.clearTimeout(timer);
      controller.abort();
    },
  };
};
