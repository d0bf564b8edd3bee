/** Deletes old SIP messages of calls in small batches, so that statements stay short. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';

const microsPerDay = 86_400_000_000;

/** Deletes old messages at once and then periodically. Concurrent gateways share the work. */
export const sweepSipMessages = (options: {
  /**
   * Deletes up to `most` messages. Resolves to their number, which is smaller than `most` if no old messages are left.
   */
  remove: (range: { before: number; most: number }) => Promise<number>;
  /** Retention in days; 0 deletes all stored messages. */
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
      logger.warn({ err: error }, 'old SIP messages of calls could not be deleted; retrying');
    }
  };

  const sweeping = createRepeatedTask({ work: sweep, everyMs, clock });
  sweeping.start(0);
  return { close: sweeping.stop };
};
