import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin, TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';

/**
 * Work that nobody waits for: hanging up, destroying an endpoint. Every promise of drachtio-srf can reject when its
 * dialog has gone a moment earlier, which must not end the process, and some never settle.
 */
export type BackgroundTasks = {
  /** Watches this work; a failure of it is a line in the log at level `debug`, as it is part of ordinary endings. */
  add(what: string, work: () => Promise<unknown>): void;
  /** Resolves when all of it is done, at the latest after so many milliseconds. */
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
          logger.debug({ err: error }, `${what} did not succeed`);
        }
      })().finally(() => ends.delete(end));
      ends.add(end);
    },
    async settled(atMostMs) {
      await doneWithin(clock, atMostMs, Promise.all(ends));
    },
  };
};

/** The work, or a TimeoutError that names it. `late` gets what comes after that, so that it can be ended. */
export const within = <Result>(
  clock: Clock,
  milliseconds: number,
  what: string,
  work: Promise<Result>,
  late: (result: Result) => void = () => {},
): Promise<Result> =>
  withTimeout(clock, milliseconds, () => work, { error: () => new TimeoutError(milliseconds, what), late });
