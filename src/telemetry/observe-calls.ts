/** Metrics and traces of calls, and how busy the process is. */
import type { Logger } from 'pino';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { Clock } from '#src/domain/clock.ts';
import { memoryShare } from './memory.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTraces, type Traces } from './traces.ts';
import { watchEventLoop, type EventLoopNumbers, type EventLoopWatch } from './event-loop.ts';

export type Telemetry = {
  metrics: Metrics;
  traces: Traces;
  eventLoop: Pick<EventLoopWatch, 'delayMs'>;
  memoryShare: typeof memoryShare;
};

/** Starts observing; `started` ends it. */
export const observeCalls = (
  bus: Pick<CallBus, 'subscribe'>,
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
