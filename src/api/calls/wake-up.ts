import type { Clock } from '#src/domain/clock.ts';

/** Something that may be waited for, by one who waits at a time. Waking while nobody waits is not forgotten. */
export type WakeUp = {
  wake(): void;
  /** Resolves when it is woken, at the latest after this time. */
  wait(milliseconds: number): Promise<void>;
};

export const createWakeUp = (clock: Clock): WakeUp => {
  let wasWoken = false;
  let endWait: (() => void) | null = null;
  return {
    wake() {
      wasWoken = true;
      endWait?.();
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const end = (): void => {
          clock.clearTimeout(timer);
          endWait = null;
          wasWoken = false;
          resolve();
        };
        const timer = clock.setTimeout(end, milliseconds);
        endWait = end;
        if (wasWoken) end();
      }),
  };
};
