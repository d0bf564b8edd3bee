import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';

/** Thrown when the server is reachable but refused the request. */
export class ServerRefusal extends Error {}

/** Number of consecutive failures after which a server counts as lost. */
const mostFailures = 2;

/**
 * Probes periodically and calls `onSilent` once after two consecutive failures, because the connection to a vanished
 * machine or a hanging process stays open. Returns a function that stops the probes.
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
