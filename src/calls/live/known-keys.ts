/**
 * The keys of the numbers whose calls this gateway holds, for the time in which the database does not answer: whoever
 * has a call must be able to end it then.
 *
 * What is known is what the database said last. It is asked when the first call of a number begins and every few
 * seconds, and its answer replaces all that was known; in between, keys count that were authenticated. So a key that was replaced, on this gateway or on another, is
 * known for some seconds at most while the database is there, when nobody asks here, and is good for nothing but the
 * calls held here when it is not.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import { findNumbersWithKeys, type CallableNumber } from '#src/persistence/callable-numbers.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import type { Database } from '#src/persistence/database.ts';
import type { LiveCalls } from './live-calls.ts';

export type KnownKeys = {
  /** A call of this number has begun here. */
  begin(numberId: string): void;
  /** The database has just said that one of these fingerprints is that of the number's key. */
  note(fingerprints: readonly Buffer[], number: CallableNumber): void;
  /** The number that one of these fingerprints of a key stands for, if a call of it is in progress here. */
  find(fingerprints: readonly Buffer[]): CallableNumber | undefined;
  /** Resolves when what is being asked was answered. */
  settled(): Promise<void>;
  close(): void;
};

export const createKnownKeys = (options: {
  database: Pick<Database, 'queries' | 'run'>;
  liveCalls: Pick<LiveCalls, 'all' | 'countOfNumber'>;
  /** How often the database is asked again. */
  everyMs: number;
  clock: Clock;
  logger: Logger;
}): KnownKeys => {
  const { database, liveCalls, everyMs, clock, logger } = options;
  let known = new Map<string, CallableNumber>();
  /** Numbers that were asked for, with a key or without one. */
  let asked = new Set<string>();

  const ask = async (): Promise<void> => {
    const numbers = new Set(Array.from(liveCalls.all(), ({ numberId }) => numberId));
    try {
      known = new Map(numbers.size === 0 ? [] : await findNumbersWithKeys(database, [...numbers]));
      asked = numbers;
    } catch (error) {
      // The keys known before stay: they are kept for the very time in which the database is away.
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
      // Nobody waits for an answer that nobody will use.
      void repetition.stop();
      void asking.close();
    },
  };
};
