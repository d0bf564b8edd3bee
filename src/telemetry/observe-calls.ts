/** Observes calls and the load of the process as metrics and traces. */
import type { Logger } from 'pino';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { GatewayLoad } from '#src/domain/gateway-condition.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTraces, type Traces } from './traces.ts';
import { watchEventLoop, type EventLoopNumbers, type EventLoopWatch } from './event-loop.ts';
import { getHeapStatistics } from 'node:v8';

/** A larger memory limit means that the control group sets no limit. */
const unlimited = 2 ** 50;

/** Number of measurements for which the container's limit is read once, because reading it takes several files. */
const limitEvery = 40;

/**
 * Creates the measurement of the memory use of this process from 0 to 1: the larger of its shares of the heap limit and
 * of the container's limit.
 */
const createMemoryShare = (): (() => number) => {
  let allowed = 0;
  let measurements = 0;
  return () => {
    if (measurements % limitEvery === 0) allowed = process.constrainedMemory();
    measurements += 1;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const ofContainer = allowed > 0 && allowed < unlimited ? process.memoryUsage.rss() / allowed : 0;
    return Math.max(used / limit, ofContainer);
  };
};

export type Telemetry = {
  metrics: Metrics;
  traces: Traces;
  eventLoop: Pick<EventLoopWatch, 'ready' | 'delayMs' | 'currentDelayMs' | 'currentUtilization'>;
  memoryShare: () => number;
  /** Returns the current load of this process. */
  load: () => GatewayLoad;
};

/** Starts observing. `started` registers the function that ends it. */
export const observeCalls = (
  bus: CallBus,
  clock: Clock,
  { eventLoop: numbers }: { eventLoop: EventLoopNumbers },
  logger: Logger,
  started: AsyncDisposableStack,
): Telemetry => {
  const metrics = createMetrics(bus);
  const traces = createTraces(bus);
  const eventLoop = watchEventLoop({
    numbers,
    clock,
    measureUtilization: performance.eventLoopUtilization.bind(performance),
    registry: metrics.registry,
    logger,
  });
  started.defer(eventLoop.close);
  const memoryShare = createMemoryShare();
  return {
    metrics,
    eventLoop,
    memoryShare,
    load: () => ({
      utilization: eventLoop.currentUtilization(),
      memory: memoryShare(),
      delayMs: eventLoop.currentDelayMs(),
    }),
    traces,
  };
};
