import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

export type Metrics = {
  registry: Registry;
  /** Counts an ended call. */
  callEnded(status: string, reason: string): void;
};

export const createMetrics = (observed: {
  callsInProgress: () => number;
  factsWaiting: () => number;
}): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge(
    'trunkline_calls_in_progress',
    'Calls that ring or are active on this gateway',
    observed.callsInProgress,
  );
  gauge('trunkline_facts_waiting', 'Facts of calls that wait to be written', observed.factsWaiting);
  const ended = new Counter({
    name: 'trunkline_calls_ended_total',
    help: 'Ended calls by status and end reason',
    labelNames: ['status', 'end_reason'],
    registers: [registry],
  });
  return {
    registry,
    callEnded: (status, reason) => ended.inc({ status, end_reason: reason }),
  };
};
