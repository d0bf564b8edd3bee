import { defineRoute } from '../http/route.ts';

export const getMetrics = defineRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tag: 'Operation',
  summary: 'Metrics for Prometheus',
  description: 'In the text format of Prometheus.',
  auth: 'none',
  responses: {
    200: {
      description: 'The statistics.',
      media: ['text/plain'],
      examples: { 'text/plain': 'trunkline_calls_in_progress{direction="outbound"} 2\n' },
    },
  },
  refusals: [],
}).handledBy(async (_, { operation: { metrics } }) => {
  const headers = { 'Content-Type': metrics.contentType };
  return { status: 200, media: 'text/plain', headers, body: await metrics.metrics() };
});
