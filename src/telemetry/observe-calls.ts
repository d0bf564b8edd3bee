/** Metrics and traces of calls, and how busy the process is. */
import type { Logger } from 'pino';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTraces, type Traces } from './traces.ts';
import { watchEventLoop, type EventLoopNumbers, type EventLoopWatch } from './event-loop.ts';
import { getHeapStatistics } from 'node:v8';

/** A larger limit means that the control group has none. */
const unlimited = 2 ** 50;

/** Returns the memory use of this process: the larger share, from 0 to 1, of the heap limit and of the container's limit. */
const memoryShare = (): number => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const allowed = process.constrainedMemory();
  const ofContainer = allowed > 0 && allowed < unlimited ? process.memoryUsage.rss() / allowed : 0;
  return Math.max(used / limit, ofContainer);
};

export type Telemetry = {
  metrics: Metrics;
  traces: Traces;
  eventLoop: Pick<EventLoopWatch, 'delayMs'>;
  memoryShare: typeof memoryShare;
};

/** Starts observing; `started` ends it. */
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
