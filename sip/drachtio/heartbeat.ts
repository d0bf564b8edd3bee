import type { Clock } from '#src/domain/clock.ts';

/** It is there and has said no. */
export class ServerRefusal extends Error {}

/**
 * Asks again and again, and calls `onSilent` once when two answers in a row did not come: a machine that is gone, or a
 * process that hangs, ends no connection. Returns what ends the watch.
 */
export const startHeartbeat = (options: {
  probe: () => Promise<void>;
  everyMs: number;
  clock: Clock;
  onSilent: () => void;
}): (() => void) => {
  const { clock, everyMs } = options;
  let isOver = false;
  let failures = 0;
  const askLater = (): unknown => clock.setTimeout(() => void ask(), everyMs);
  const ask = async (): Promise<void> => {
    try {
      await options.probe();
      failures = 0;
    } catch (error) {
      failures = error instanceof ServerRefusal ? 0 : failures + 1;
    }
    if (isOver) return;
    if (failures < 2) timer = askLater();
    else options.onSilent();
  };
  let timer = askLater();
  return () => {
    isOver = true;
    clock.clearTimeout(timer);
  };
};
