/** Deletes SIP messages of calls that have been kept for long enough, some at a time, so that nobody waits for it. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';

const microsPerDay = 86_400_000_000;

/** Sweeps at once, and then again and again. Of several gateways that do it at the same time each finds less to do. */
export const sweepSipMessages = (options: {
  /** Resolves to how many were deleted; fewer than `most` when none are left. */
  remove: (range: { before: number; most: number }) => Promise<number>;
  /** 0: whatever is kept from earlier goes. */
  days: number;
  everyMs: number;
  batch: number;
  clock: Clock;
  logger: Logger;
}): { close(): Promise<void> } => {
  const { remove, days, everyMs, batch, clock, logger } = options;

  const sweep = async (stopped: AbortSignal): Promise<void> => {
    const before = clock.now() * 1_000 - days * microsPerDay;
    try {
      for (let deleted = batch; deleted === batch && !stopped.aborted;)
        deleted = await remove({ before, most: batch });
    } catch (error) {
      logger.warn({ err: error }, 'old SIP messages of calls could not be deleted; they are tried again');
    }
  };

  const sweeping = createRepeatedTask({ work: sweep, everyMs, clock });
  sweeping.start(0);
  return { close: sweeping.stop };
};
