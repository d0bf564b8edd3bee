import type { Clock } from '#src/domain/clock.ts';

/** A wake-up signal for a single waiter. A wake-up without a waiter is remembered. */
export type WakeUp = {
  wake(): void;
  /** Resolves on a wake-up, or after this time. */
  wait(milliseconds: number): Promise<void>;
};

export const createWakeUp = (clock: Clock): WakeUp => {
  let state: 'nobody waits' | 'woken' | { end: () => void } = 'nobody waits';
  return {
    wake() {
      if (typeof state === 'string') state = 'woken';
      else state.end();
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const wasWoken = state === 'woken';
        const end = (): void => {
          clock.clearTimeout(timer);
          state = 'nobody waits';
          resolve();
        };
        const timer = clock.setTimeout(end, milliseconds);
        state = { end };
        if (wasWoken) end();
      }),
  };
};
