/**
 * Watches the one thread that serves all calls: a timer that comes late says for how long the thread did nothing else.
 * The cause is not known here.
 */
import type { EventLoopUtilization } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '#src/domain/clock.ts';

export type EventLoopNumbers = {
  /** Between two looks, in milliseconds. */
  everyMs: number;
  /** So late is a stall, in milliseconds. */
  stallMs: number;
  /** A delay that lasts is judged over so many milliseconds. */
  windowMs: number;
  /**
   * Shares of the time in which the event loop was busy with its own work. A delay counts in full from `busy` on, and not
   * at all below `idle`: other programs of the machine cause it then, and refusing calls would not end it.
   */
  utilization: { idle: number; busy: number };
};

/** The event loop's own time, as `performance.eventLoopUtilization` measures it; with two readings, between them. */
export type MeasureUtilization = (
  newer?: EventLoopUtilization,
  older?: EventLoopUtilization,
) => EventLoopUtilization;

export type EventLoopWatch = {
  /** The delay of timers that this process itself causes and that lasts, in milliseconds. */
  delayMs(): number;
  close(): void;
};

type Beat = { at: number; lateMs: number; utilization: EventLoopUtilization };

/** Where beats come very late, so many are judged however long they take. */
const fewestBeats = 3;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

export const watchEventLoop = (options: {
  numbers: EventLoopNumbers;
  /** One that nobody sets. */
  clock: Clock;
  measureUtilization: MeasureUtilization;
  registry: Registry;
  logger: Logger;
}): EventLoopWatch => {
  const { clock, measureUtilization, logger } = options;
  const { everyMs, stallMs, windowMs, utilization } = options.numbers;
  const stalls = new Histogram({
    name: 'trunkline_event_loop_stall_seconds',
    help: `How long the event loop stood still, for stalls of ${stallMs} ms and more`,
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [options.registry],
  });
  let timer: unknown;
  const beats: Beat[] = [];

  const note = (beat: Beat): void => {
    beats.push(beat);
    while (beats.length > fewestBeats && (beats[0]?.at ?? 0) < beat.at - windowMs) beats.shift();
  };

  /** From 0, idle, to 1. */
  const ownPart = (): number => {
    const share = measureUtilization(beats.at(-1)?.utilization, beats[0]?.utilization).utilization;
    const { idle, busy } = utilization;
    return Math.min(1, Math.max(0, (share - idle) / (busy - idle)));
  };

  const lookAgain = (): void => {
    const dueAt = clock.now() + everyMs;
    timer = clock.setTimeout(() => {
      const now = clock.now();
      const lateMs = Math.round(now - dueAt);
      note({ at: now, lateMs, utilization: measureUtilization() });
      if (lateMs >= stallMs) {
        stalls.observe(lateMs / 1_000);
        logger.warn({ stall_ms: lateMs }, 'the event loop stood still: every call had to wait');
      }
      lookAgain();
    }, everyMs);
  };

  lookAgain();
  return {
    delayMs: () => (beats.length < fewestBeats ? 0 : median(beats.map(({ lateMs }) => lateMs)) * ownPart()),
    close: () => clock.clearTimeout(timer),
  };
};
