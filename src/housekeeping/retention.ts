/** Erases words and recordings of calls after their number's retention period. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import { isCancelled, isTransient } from '#src/persistence/database/connection-errors.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { eraseOutlived, firstUnerasedStart } from '#src/persistence/calls/expired-calls.ts';
import { numbersWithRetention, type NumberRetention } from '#src/persistence/numbers/retention.ts';

export type RetentionNumbers = {
  /** Interval between runs. */
  everyMs: number;
  /** Maximum number of calls per transaction. */
  batch: number;
};

const dayMs = 86_400_000;

/** Calls that began this long ago are stored, whatever the clock of their gateway. */
const storedAfterMs = dayMs;

const kinds = ['words', 'recordings'] as const;

const failed = 'data past its retention period could not be erased; retrying';

/** Erases data of old calls at once and then periodically. Concurrent gateways share the work. */
export const keepToRetention = (options: {
  database: Database;
  numbers: RetentionNumbers;
  clock: Clock;
  logger: Logger;
}): { close(): Promise<void> } => {
  const { database, clock, logger } = options;
  const { everyMs, batch } = options.numbers;
  /**
   * For each number, a time before which no call has data left, so that erased calls are checked only once. This time
   * does not pass a call that began before the retention period and ended within it.
   */
  const erasedUntil = new Map<string, number>();

  const erase = async (number: NumberRetention, kept: (typeof kinds)[number], stopped: AbortSignal) => {
    const days = number[kept];
    if (days === null) return 0;
    const place = `${kept} ${number.id}`;
    const begun = clock.now();
    const from = erasedUntil.get(place) ?? 0;
    let since = new Date(from);
    let erased = 0;
    for (;;) {
      if (stopped.aborted) return erased;
      const found = await eraseOutlived(database, kept, { numberId: number.id, since, days, most: batch });
      if (found === null) break;
      erased += found.calls;
      // Each batch continues where the previous one ended. Erased calls would otherwise be read again.
      since = found.lastStartedAt;
    }
    const left = await firstUnerasedStart(database, kept, {
      numberId: number.id,
      since: new Date(from),
      days,
    });
    const until = Math.min(begun - days * dayMs - storedAfterMs, left?.getTime() ?? Infinity);
    erasedUntil.set(place, Math.max(from, until));
    return erased;
  };

  /** Erases data of one number. A failure is logged, so that it does not affect other numbers. */
  const eraseOf = async (
    number: NumberRetention,
    kept: (typeof kinds)[number],
    stopped: AbortSignal,
  ): Promise<void> => {
    const about = { number_id: number.id, kept };
    try {
      const calls = await erase(number, kept, stopped);
      if (calls > 0) logger.info({ ...about, calls }, 'erased data of calls after their retention period');
    } catch (error) {
      if (isTransient(error) && !isCancelled(error)) throw error;
      logger.warn({ ...about, err: error }, failed);
    }
  };

  const look = async (stopped: AbortSignal): Promise<void> => {
    try {
      for (const number of await numbersWithRetention(database))
        for (const kept of kinds) await eraseOf(number, kept, stopped);
    } catch (error) {
      logger.warn({ err: error }, failed);
    }
  };

  const looking = createRepeatedTask({ work: look, everyMs, clock });
  looking.start(0);
  return { close: looking.stop };
};
