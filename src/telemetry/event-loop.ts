/**
 * Watches the event loop: a late timer shows how long the thread was blocked. The cause of the delay is not measured
 * here.
 */
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
   * Event loop utilization at which a delay counts: fully from `busy` on, and not at all below `idle`. Below `idle`,
   * other programs cause the delay, and refusing calls would not help.
   */
  utilization: { idle: number; busy: number };
};

/**
 * Measures utilization like `performance.eventLoopUtilization`: with two readings as arguments, the utilization between
 * them.
 */
export type MeasureUtilization = (
  newer?: EventLoopUtilization,
  older?: EventLoopUtilization,
) => EventLoopUtilization;

export type EventLoopWatch = {
  /**
   * Begins to judge delays. Until then only stalls are counted and logged: while the gateway starts, loading modules
   * blocks the loop, which says nothing about its load afterwards.
   */
  ready(): void;
  /** Returns the lasting delay of timers that this process causes, in milliseconds. */
  delayMs(): number;
  /**
   * The current delay of timers that this process causes, in milliseconds: the smaller one of the last two, so that a
   * single stall does not count. A pending timer counts as soon as it is late.
   */
  currentDelayMs(): number;
  /** Returns the utilization of the event loop over the last timers, from 0 to 1. */
  currentUtilization(): number;
  close(): void;
};

type Beat = { at: number; lateMs: number; utilization: EventLoopUtilization };

/**
 * Minimum number of checks on which a lasting delay is judged, even if late timers make them last longer than the
 * period.
 */
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
  let isReady = false;
  const beats: Beat[] = [];

  const note = (beat: Beat): void => {
    beats.push(beat);
    while (beats.length > fewestBeats && (beats[0]?.at ?? 0) < beat.at - windowMs) beats.shift();
  };

  /** Returns the utilization since a beat from 0 (idle) to 1. */
  const ownPart = (since: Beat | undefined, until = beats.at(-1)?.utilization): number => {
    const share = measureUtilization(until, since?.utilization).utilization;
    const { idle, busy } = utilization;
    return Math.min(1, Math.max(0, (share - idle) / (busy - idle)));
  };

  let dueAt = 0;
  const lookAgain = (): void => {
    dueAt = clock.now() + everyMs;
    timer = clock.setTimeout(() => {
      const now = clock.now();
      const lateMs = Math.round(now - dueAt);
      if (isReady) note({ at: now, lateMs, utilization: measureUtilization() });
      if (lateMs >= stallMs) {
        stalls.observe(lateMs / 1_000);
        logger.warn({ stall_ms: lateMs }, 'the event loop was blocked; all calls were delayed');
      }
      lookAgain();
    }, everyMs);
  };

  lookAgain();
  return {
    ready() {
      if (isReady) return;
      isReady = true;
      // The pending timer may already be late because of the start.
      clock.clearTimeout(timer);
      lookAgain();
    },
    delayMs: () =>
      beats.length < fewestBeats ? 0 : median(beats.map(({ lateMs }) => lateMs)) * ownPart(beats[0]),
    currentDelayMs() {
      const [first, second, third] = beats.slice(-fewestBeats);
      if (first === undefined || second === undefined || third === undefined) return 0;
      const pendingMs = clock.now() - dueAt;
      const lateMs = Math.max(Math.min(second.lateMs, third.lateMs), Math.min(third.lateMs, pendingMs));
      return lateMs <= 0 ? 0 : lateMs * ownPart(first, measureUtilization());
    },
    currentUtilization: () =>
      measureUtilization(measureUtilization(), beats.at(-fewestBeats)?.utilization).utilization,
    close: () => clock.clearTimeout(timer),
  };
};
