/** Watches the event loop: a late timer shows how long the thread was blocked. The cause is unknown here. */
import type { EventLoopUtilization } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '#src/domain/clock.ts';

export type EventLoopNumbers = {
  /** Interval between two checks, in milliseconds. */
  everyMs: number;
  /** Delay that counts as a stall, in milliseconds. */
  stallMs: number;
  /** Period over which a lasting delay is judged, in milliseconds. */
  windowMs: number;
  /**
   * Event loop utilization between which a delay counts: fully from `busy` on, and not at all below `idle`. Below it
   * other programs cause the delay, and refusing calls would not help.
   */
  utilization: { idle: number; busy: number };
};

/** Utilization as `performance.eventLoopUtilization` measures it; with two readings, between them. */
export type MeasureUtilization = (
  newer?: EventLoopUtilization,
  older?: EventLoopUtilization,
) => EventLoopUtilization;

export type EventLoopWatch = {
  /** The lasting delay of timers that this process causes, in milliseconds. */
  delayMs(): number;
  close(): void;
};

type Beat = { at: number; lateMs: number; utilization: EventLoopUtilization };

/** When timers are very late, this many are judged regardless of their period. */
const fewestBeats = 3;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

export const watchEventLoop = (options: {
  numbers: EventLoopNumbers;
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

  /** Returns the utilization from 0 (idle) to 1. */
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
        logger.warn({ stall_ms: lateMs }, 'the event loop was blocked; all calls were delayed');
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
