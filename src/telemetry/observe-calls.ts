/** Observes calls and the load of the process as metrics and traces. */
import type { Logger } from 'pino';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTraces, type Traces } from './traces.ts';
import { watchEventLoop, type EventLoopNumbers, type EventLoopWatch } from './event-loop.ts';
import { getHeapStatistics } from 'node:v8';

/** A larger memory limit means that the control group sets no limit. */
const unlimited = 2 ** 50;

/**
 * Returns the memory use of this process from 0 to 1: the larger of its shares of the heap limit and of the container's
 * limit.
 */
const memoryShare = (): number => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const allowed = process.constrainedMemory();
  const ofContainer = allowed > 0 && allowed < unlimited ? process.memoryUsage.rss() / allowed : 0;
  return Math.max(used / limit, ofContainer);
};

export type Telemetry = {
  metrics: Metrics;
  traces: Traces;
  eventLoop: Pick<EventLoopWatch, 'delayMs' | 'currentDelayMs' | 'currentUtilization'>;
  memoryShare: typeof memoryShare;
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
  return {
    metrics,
    eventLoop,
    memoryShare,
    traces,
  };
};
