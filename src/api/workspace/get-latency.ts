import * as z from 'zod';
import { latencyOf } from '#src/administration/latency.ts';
import { agentKinds } from '#src/domain/agent-binding.ts';
import { latencySummary } from '../calls/latency-schema.ts';
import { timestamp } from '../fields.ts';
import { defineRoute } from '../http/route.ts';

const summary = latencySummary.nullable();

const report = z
  .object({
    from: timestamp.meta({ example: '2026-11-20T12:00:00.000+09:00' }),
    until: timestamp.meta({ example: '2026-11-21T12:00:00.000+09:00' }),
    current: summary.meta({ description: 'Calls that started in this time; null without a measured turn.' }),
    before: summary.meta({ description: 'Calls of the same length of time before `from`.' }),
    agents: z
      .array(
        z.object({
          agent: z.enum(agentKinds).meta({
            description: '`builtin`, or the type of the endpoint.',
            example: 'webhook',
          }),
          latency: latencySummary,
        }),
      )
      .meta({ description: 'The current values by kind of agent, the most turns first.' }),
  })
  .meta({ id: 'LatencyReport' });

export const getLatency = defineRoute({
  method: 'get',
  path: '/api/v1/admin/latency',
  operationId: 'getLatency',
  tag: 'Workspace',
  summary: 'Read how long callers wait for replies',
  description:
    'Percentiles of the waits for replies and of their stages over the last day or week, and of the one before, of one number or of all numbers: over the turns of the 300 newest answered calls of each, for all gateways.',
  auth: 'viewer',
  query: z.object({
    period: z.enum(['day', 'week']).default('day').meta({
      description: '`day`: the last 24 hours; `week`: the last 7 days.',
    }),
    number_id: z.uuid().optional().meta({ description: 'Only calls of this number.' }),
  }),
  responses: { 200: { description: 'The latency.', schema: report } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, query: { period, numberId } }, services) => ({
  status: 200,
  body: await latencyOf(services.directory.administrator(caller), {
    numberId,
    period,
    now: services.operation.clock.now(),
  }),
}));
