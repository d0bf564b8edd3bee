/** Everything that looks on while calls go on: figures, traces, how long each turn takes, whether the thread stands still. */
import type { Logger } from 'pino';
import type { CallWitness } from '#src/calls/call-witness.ts';
import { createTurnTimes, type TurnTimes } from '#src/calls/turn-times.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTraces, type Traces } from './traces.ts';
import { watchEventLoop, type EventLoopNumbers } from './watch-event-loop.ts';

/** What watches by itself is ended by `started`. */
export const observeCalls = (
  /** One that nobody sets. */
  clock: Clock,
  { eventLoop }: { eventLoop: EventLoopNumbers },
  logger: Logger,
  started: AsyncDisposableStack,
): {
  metrics: Metrics;
  turnTimes: TurnTimes;
  traces: Traces;
  witness: CallWitness;
} => {
  const metrics = createMetrics();
  const traces = createTraces();
  started.defer(watchEventLoop({ numbers: eventLoop, clock, registry: metrics.registry, logger }));
  return {
    metrics,
    turnTimes: createTurnTimes({ now: clock.now, observe: metrics.turnStage }),
    traces,
    witness: {
      began(call) {
        metrics.witness.began(call);
        traces.witness.began(call);
      },
      ended(call) {
        metrics.witness.ended(call);
        traces.witness.ended(call);
      },
    },
  };
};
