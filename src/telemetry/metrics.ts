/** Prometheus metrics of this gateway for its operator. */
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { AnsweredRequest } from '#src/api/http/access-log.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { callMetrics, watchCalls, type CallMetrics } from './call-metrics.ts';
import { watchDeliveries } from './delivery-metrics.ts';
import { httpMetrics } from './http-metrics.ts';
import { watchLines } from './line-metrics.ts';
import { trunkMetrics } from './trunk-metrics.ts';

export type Metrics = CallMetrics & {
  registry: Registry;
  requestAnswered(request: AnsweredRequest): void;
  /** Adds metrics that are read at each scrape. */
  watch(
    parts: Parameters<typeof watchLines>[1] & {
      liveCalls: LiveCalls;
      journal: Pick<Journal, 'backlog'>;
      database: Database;
      clock: Clock;
      logger: Logger;
    },
  ): void;
};

export const createMetrics = (bus: Pick<CallBus, 'subscribe'>): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = callMetrics(registry, bus);
  trunkMetrics(registry, bus);
  return {
    registry,
    ...calls,
    requestAnswered: httpMetrics(registry),
    watch(parts) {
      watchCalls(registry, parts.liveCalls, parts.journal.backlog);
      watchLines(registry, parts);
      watchDeliveries(registry, parts);
    },
  };
};
