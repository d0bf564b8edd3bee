/** Prometheus metrics of this gateway for its operator. */
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry, Counter, Histogram, Gauge } from 'prom-client';
import type { AnsweredRequest } from '#src/api/http/access-log.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { callMetrics, watchCalls, type CallMetrics } from './call-metrics.ts';
import { watchLines } from './line-metrics.ts';
import { trunkMetrics } from './trunk-metrics.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { deliveryBacklog, type DeliveryBacklog } from '#src/persistence/events/delivery-backlog.ts';

const keptMs = 10_000;
const patienceMs = 2_000;

/**
 * Metrics of event deliveries, which are queried from the database at most every few seconds, and omitted while it does
 * not answer.
 */
const watchDeliveries = (
  registry: Registry,
  { database, clock, logger }: { database: Database; clock: Clock; logger: Logger },
): void => {
  let asked: Promise<DeliveryBacklog | null> | null = null;
  let askedAt = -Infinity;

  const ask = async (): Promise<DeliveryBacklog | null> => {
    try {
      return await withTimeout(clock, patienceMs, () => deliveryBacklog(database));
    } catch (error) {
      logger.warn({ err: error }, 'delivery statistics could not be read');
      return null;
    }
  };

  const backlog = (): Promise<DeliveryBacklog | null> => {
    if (asked !== null && clock.now() - askedAt < keptMs) return asked;
    askedAt = clock.now();
    asked = ask();
    return asked;
  };

  void new Gauge({
    name: 'trunkline_event_deliveries',
    help: 'Deliveries of events over all gateways: pending, held while their endpoint is paused or disabled, dead',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      const found = await backlog();
      if (found === null) return;
      for (const state of ['pending', 'held', 'dead'] as const) this.set({ state }, found[state]);
    },
  });
  void new Gauge({
    name: 'trunkline_event_delivery_oldest_seconds',
    help: 'How long the oldest pending delivery of an event has been waiting; 0 when none is',
    registers: [registry],
    async collect() {
      this.remove();
      const found = await backlog();
      if (found === null) return;
      const { oldestPendingAt } = found;
      this.set(oldestPendingAt === null ? 0 : Math.max(0, clock.now() - oldestPendingAt.getTime()) / 1000);
    },
  });
};

/** Upper bounds of the histogram in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of the HTTP server. The route label is the pattern of the path and contains no id. */
const httpMetrics = (registry: Registry): ((request: AnsweredRequest) => void) => {
  const requests = new Counter({
    name: 'trunkline_http_requests_total',
    help: 'Requests that were answered, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'trunkline_http_request_seconds',
    help: 'From the arrival of a request to the end of its answer, by method and route; without streams of events',
    labelNames: ['method', 'route'],
    buckets,
    registers: [registry],
  });
  return ({ method, route, status, seconds, isStream }) => {
    const about = { method, route: route ?? 'none' };
    requests.inc({ ...about, status });
    if (!isStream) durations.observe(about, seconds);
  };
};

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

/**
 * Interval in milliseconds between two measurements of the event loop's lag. The reported lags include it, so the
 * dashboard subtracts it (config/grafana/trunkline.json).
 */
export const lagIntervalMs = 100;

export const createMetrics = (bus: CallBus): Metrics => {
  const registry = new Registry();
  // The measurement of the event loop's lag wakes the process twice in each interval, also when it is idle.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagIntervalMs });
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
