/**
 * Notices when the one thread that serves all calls did nothing else for a while: a timer that comes too late says for
 * how long. What has held it up is not known here; that it was held up is known to nobody else.
 */
import type { Logger } from 'pino';
import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '#src/domain/clock.ts';

export type EventLoopNumbers = {
  /** How often it is looked at, in milliseconds. */
  everyMs: number;
  /** So late is a stall, in milliseconds. */
  stallMs: number;
};

export type EventLoopWatch = {
  /** By how many milliseconds timers come too late, on average over the last second or so. */
  delayMs(): number;
  close(): void;
};

/** The weight of the newest delay in the moving average. */
const weight = 0.1;

export const watchEventLoop = (options: {
  numbers: EventLoopNumbers;
  /** One that nobody sets. */
  clock: Clock;
  registry: Registry;
  logger: Logger;
}): EventLoopWatch => {
  const { clock, logger } = options;
  const { everyMs, stallMs } = options.numbers;
  const stalls = new Histogram({
    name: 'trunkline_event_loop_stall_seconds',
    help: `How long the event loop stood still, for stalls of ${stallMs} ms and more`,
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [options.registry],
  });
  let timer: unknown;
  let averageMs = 0;

  const lookAgain = (): void => {
    const dueAt = clock.now() + everyMs;
    timer = clock.setTimeout(() => {
      const lateMs = Math.round(clock.now() - dueAt);
      averageMs += weight * (lateMs - averageMs);
      if (lateMs >= stallMs) {
        stalls.observe(lateMs / 1_000);
        logger.warn({ stall_ms: lateMs }, 'the event loop stood still: every call had to wait');
      }
      lookAgain();
    }, everyMs);
  };

  lookAgain();
  return { delayMs: () => averageMs, close: () => clock.clearTimeout(timer) };
};
