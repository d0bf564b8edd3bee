/**
 * Recordings of gateways that disappeared for good. Any gateway of the database marks them as failed after a time
 * limit; if several do, the first one wins.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { Database } from '#src/persistence/database.ts';
import { abandonedRecordings } from '#src/persistence/recordings.ts';

export type AbandonedNumbers = {
  /** Interval of the checks. */
  everyMs: number;
  /** Time after the end of a call for which its recording may be pending while the gateway does not run. */
  afterMs: number;
};

export type AbandonedWatch = {
  close(): Promise<void>;
};

/** Checks immediately and then periodically. */
export const watchAbandoned = (options: {
  database: Database;
  numbers: AbandonedNumbers;
  fail: (callId: string) => void;
  clock: Clock;
  logger: Logger;
}): AbandonedWatch => {
  const { database, numbers, clock, logger } = options;

  const look = async (stopped: AbortSignal): Promise<void> => {
    try {
      for (const { callId, node } of await abandonedRecordings(database, numbers.afterMs)) {
        if (stopped.aborted) return;
        logger.warn({ call_id: callId, dead_node: node }, 'a recording is given up: its gateway is gone');
        options.fail(callId);
      }
    } catch (error) {
      logger.warn({ err: error }, 'recordings of gateways that are gone could not be looked for');
    }
  };

  const looking = createRepeatedTask({ work: look, everyMs: numbers.everyMs, clock });
  looking.start(0);
  return { close: looking.stop };
};
