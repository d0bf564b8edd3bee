/**
 * Caches the keys of the numbers with calls on this gateway, so that a client with a call can end it while the database
 * is unavailable.
 *
 * The cache contains the result of the last database query. The database is queried when the first call of a number
 * begins, and every few seconds; in between, authenticated keys are added. A replaced key stays cached for at most a
 * few seconds while the database is available, when the cache is not used. During an outage the cache works only for
 * calls on this gateway.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import { findNumbersWithKeys, type CallableNumber } from '#src/persistence/numbers/callable-numbers.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { LiveCalls } from './live-calls.ts';

export type KnownKeys = {
  /** Called when a call of this number begins here. */
  begin(numberId: string): void;
  /** Called when the database has confirmed that one of these fingerprints belongs to the number's key. */
  note(fingerprints: readonly Buffer[], number: CallableNumber): void;
  /** Returns the number of a key with one of these fingerprints, if a call of the number is in progress here. */
  find(fingerprints: readonly Buffer[]): CallableNumber | undefined;
  /** Resolves when the current query has ended. */
  settled(): Promise<void>;
  close(): void;
};

export const createKnownKeys = (options: {
  database: Pick<Database, 'queries' | 'execute'>;
  liveCalls: Pick<LiveCalls, 'all' | 'countOfNumber'>;
  /** Interval of database queries. */
  everyMs: number;
  clock: Clock;
  logger: Logger;
}): KnownKeys => {
  const { database, liveCalls, everyMs, clock, logger } = options;
  let known = new Map<string, CallableNumber>();
  /** Numbers that were queried, including those without a key. */
  let asked = new Set<string>();

  const ask = async (): Promise<void> => {
    const numbers = new Set(Array.from(liveCalls.all(), ({ numberId }) => numberId));
    try {
      known = new Map(numbers.size === 0 ? [] : await findNumbersWithKeys(database, [...numbers]));
      asked = numbers;
    } catch (error) {
      // After a failed query the earlier keys remain, because the cache exists for outages of the database.
      const level = isTransient(error) ? 'debug' : 'error';
      logger[level]({ err: error }, 'the keys of the calls in progress could not be read');
    }
  };

  const asking = createCoalescedTask(ask);
  let lastAnswer: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => (lastAnswer = asking.run());
  const repetition = createRepeatedTask({ work: refresh, everyMs, clock });
  repetition.start(everyMs);

  return {
    begin(numberId) {
      if (!asked.has(numberId)) void refresh();
    },
    note(fingerprints, number) {
      for (const fingerprint of fingerprints) known.set(fingerprint.toString('hex'), number);
    },
    find(fingerprints) {
      const number = fingerprints
        .map((fingerprint) => known.get(fingerprint.toString('hex')))
        .find((found) => found !== undefined);
      return number !== undefined && liveCalls.countOfNumber(number.id) > 0 ? number : undefined;
    },
    settled: () => lastAnswer,
    close() {
      // The result of a stopped query is not needed, so its end is not awaited.
      void repetition.stop();
      void asking.close();
    },
  };
};
