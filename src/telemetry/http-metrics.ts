import { Counter, Histogram, type Registry } from 'prom-client';
import type { AnsweredRequest } from '#src/api/http/access-log.ts';

/** In seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of the HTTP server. The label of a route is its pattern and contains no id. */
export const httpMetrics = (registry: Registry): ((request: AnsweredRequest) => void) => {
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
