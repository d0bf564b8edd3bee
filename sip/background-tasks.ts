import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin, TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';

/**
 * Work that is not awaited, such as hanging up or destroying an endpoint. Every promise of drachtio-srf can reject when
 * its dialog ended a moment earlier, which must not end the process, and some promises never settle.
 */
export type BackgroundTasks = {
  /** Runs the work and logs a failure at level `debug`, because failures are part of ordinary call ends. */
  add(what: string, work: () => Promise<unknown>): void;
  /** Resolves when all work is done, at the latest after this number of milliseconds. */
  settled(atMostMs: number): Promise<void>;
};

export const createBackgroundTasks = (clock: Clock, logger: Logger): BackgroundTasks => {
  const ends = new Set<Promise<void>>();
  return {
    add(what, work) {
      const end = (async () => {
        try {
          await work();
        } catch (error) {
          logger.debug({ err: error }, `${what} failed`);
        }
      })().finally(() => ends.delete(end));
      ends.add(end);
    },
    async settled(atMostMs) {
      await doneWithin(clock, atMostMs, Promise.all(ends));
    },
  };
};

/**
 * Resolves with the result of the work, or rejects with a TimeoutError that contains the name of the work. `late`
 * receives a result that arrives after the timeout, so that the result can be released.
 */
export const within = <Result>(
  clock: Clock,
  milliseconds: number,
  what: string,
  work: Promise<Result>,
  late: (result: Result) => void = () => {},
): Promise<Result> =>
  withTimeout(clock, milliseconds, () => work, { error: () => new TimeoutError(milliseconds, what), late });
