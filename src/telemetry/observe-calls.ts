/** Observers of calls: metrics, traces, turn latency, event loop stalls. */
import type { Logger } from 'pino';
import type { CallObserver } from '#src/calls/observer.ts';
import { createLatency, type Latency } from '#src/calls/live/latency.ts';
import type { Clock } from '#src/domain/clock.ts';
import { memoryShare } from './memory.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTraces, type Traces } from './traces.ts';
import { watchEventLoop, type EventLoopNumbers, type EventLoopWatch } from './event-loop.ts';

export type Telemetry = {
  metrics: Metrics;
  latency: Latency;
  traces: Traces;
  observer: CallObserver;
  eventLoop: Pick<EventLoopWatch, 'delayMs'>;
  memoryShare: typeof memoryShare;
};

/** Starts observing; `started` ends it. */
export const observeCalls = (
  /** The observer that does nothing. */
  clock: Clock,
  { eventLoop: numbers }: { eventLoop: EventLoopNumbers },
  logger: Logger,
  started: AsyncDisposableStack,
): Telemetry => {
  const metrics = createMetrics();
  const traces = createTraces();
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
    latency: createLatency({ now: clock.now, observe: metrics.turnStage }),
    traces,
    observer: {
      began(call) {
        metrics.observer.began(call);
        traces.observer.began(call);
      },
      ended(call) {
        metrics.observer.ended(call);
        traces.observer.ended(call);
      },
    },
  };
};
