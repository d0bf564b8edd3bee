import type { Clock } from '#src/domain/clock.ts';

/** Something that may be waited for, by one who waits at a time. Waking while nobody waits is not forgotten. */
export type WakeUp = {
  wake(): void;
  /** Resolves when it is woken, at the latest after this time. */
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
