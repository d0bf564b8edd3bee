import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';

/** It is there and has said no. */
export class ServerRefusal extends Error {}

/** A server that has not answered so often in a row is gone. */
const mostFailures = 2;

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
  let failures = 0;

  const ask = async (stopped: AbortSignal): Promise<void> => {
    try {
      await options.probe();
      failures = 0;
    } catch (error) {
      failures = error instanceof ServerRefusal ? 0 : failures + 1;
    }
    if (stopped.aborted || failures < mostFailures) return;
    end();
    options.onSilent();
  };

  const asking = createRepeatedTask({ work: ask, everyMs, clock });
  const end = (): void => void asking.stop();
  asking.start(everyMs);
  return end;
};
