import type { Clock } from '#src/domain/clock.ts';

/** A signal that aborts with a reason when time is up. */
export type Deadline = {
  signal: AbortSignal;
  /** Anew from now on, instead of what was set before. */
  set(milliseconds: number, reason: Error): void;
  /** Lets go of the timer, and of everything that still hangs on the signal. */
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
