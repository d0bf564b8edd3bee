import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

export type Metrics = {
  registry: Registry;
  /** Counts an ended call. */
  callEnded(status: string, reason: string): void;
  /** Shows how many callers were refused because no trunk knows them, by what was wrong. */
  watchRefusedCallers(read: () => Readonly<Record<string, number>>): void;
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
    watchRefusedCallers: (read) =>
      void new Gauge({
        name: 'trunkline_refused_callers',
        help: 'Callers that no trunk knows, refused since the start, by what was wrong',
        labelNames: ['fault'],
        registers: [registry],
        collect() {
          for (const [fault, count] of Object.entries(read())) this.set({ fault }, count);
        },
      }),
  };
};
