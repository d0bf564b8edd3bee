/** Everything that looks on while calls go on: figures, traces, how long each turn takes. */
import type { CallWitness } from '#src/calls/call-witness.ts';
import { createTurnTimes, type TurnTimes } from '#src/calls/turn-times.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTraces, type Traces } from './traces.ts';

export const observeCalls = (
  now: () => number,
): {
  metrics: Metrics;
  turnTimes: TurnTimes;
  traces: Traces;
  witness: CallWitness;
} => {
  const metrics = createMetrics();
  const traces = createTraces();
  return {
    metrics,
    turnTimes: createTurnTimes({ now, observe: metrics.turnStage }),
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
