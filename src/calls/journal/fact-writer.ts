/**
 * Writes facts of calls with retries: indefinitely while the database is down, and a few times if it rejects a fact.
 * Stateless between facts.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { CallTaken, type RecordedFact, type WrittenFact } from '#src/persistence/call-facts.ts';

/** `taken`: another gateway holds the call, or has ended it. */
export type FactOutcome = { written: WrittenFact | null } | 'given up' | 'taken';

export type FactWriter = {
  /** Retries `write` until it succeeds, is given up, or rejects with `CallTaken`. */
  write(callId: string, fact: RecordedFact, write: () => Promise<WrittenFact | null>): Promise<FactOutcome>;
  /**
   * From now on facts do not wait for an unavailable database: a fact that cannot be written is given up immediately.
   */
  giveUp(): void;
};

/** Maximum attempts for a fact that fails although the database is available. */
const triesOfABrokenFact = 3;

/** Delay between two attempts: initial value, and maximum of the backoff. */
export type RetryTimes = { firstMs: number; longestMs: number };

export const createFactWriter = (options: {
  /** Whether this error means that the database is unavailable, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  retry: RetryTimes;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  logger: Logger;
}): FactWriter => {
  const { isPassing, retry, clock, logger } = options;
  const pauses = new Set<() => void>();
  let isGivenUp = false;

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clock.clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = clock.setTimeout(end, milliseconds);
      pauses.add(end);
    });

  /** Returns whether to retry, and logs the decision. */
  const mayTryAgain = (callId: string, fact: RecordedFact, error: unknown, tries: number): boolean => {
    const about = { call_id: callId, fact: fact.type, err: error };
    if (isGivenUp || (!isPassing(error) && tries >= triesOfABrokenFact)) {
      logger.error(about, 'a fact of a call could not be written');
      return false;
    }
    if (tries === 1) logger.warn(about, 'a fact of a call waits for the database');
    return true;
  };

  return {
    async write(callId, fact, write) {
      let delayMs = retry.firstMs;
      for (let tries = 1; ; tries += 1) {
        try {
          return { written: await write() };
        } catch (error) {
          if (error instanceof CallTaken) return 'taken';
          if (!mayTryAgain(callId, fact, error, tries)) return 'given up';
        }
        await pause(delayMs);
        delayMs = Math.min(delayMs * 2, retry.longestMs);
      }
    },
    giveUp() {
      isGivenUp = true;
      for (const end of pauses) end();
    },
  };
};
