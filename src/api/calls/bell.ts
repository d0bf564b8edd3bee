import type { Clock } from '#src/domain/clock.ts';

/** Something that may be waited for, by one who waits at a time. Ringing while nobody waits is not forgotten. */
export type Bell = {
  ring(): void;
  /** Resolves when it rings, at the latest after this time. */
  wait(milliseconds: number): Promise<void>;
};

export const createBell = (clock: Clock): Bell => {
  let hasRung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const end = (): void => {
          clock.clearTimeout(timer);
          wake = null;
          hasRung = false;
          resolve();
        };
        const timer = clock.setTimeout(end, milliseconds);
        wake = end;
        if (hasRung) end();
      }),
  };
};
