import * as z from 'zod';
import { overviewOf } from '#src/administration/overview.ts';
import { endReason } from '../calls/call-schema.ts';
import { integerInQuery, timestamp } from '../fields.ts';
import { defineRoute } from '../http/route.ts';

const calls = z.int().meta({ description: 'Answered calls.', example: 120 });
const failed = z.int().meta({ description: 'Number of those that failed because of it.', example: 3 });

const waiting = z.object({
  p50: z.int().nullable().meta({ description: 'Milliseconds; null without measurements.', example: 620 }),
  p95: z.int().nullable().meta({ example: 1180 }),
  turns: z.int().meta({ description: 'Number of measurements.', example: 840 }),
});

const overview = z
  .object({
    days: z
      .array(
        z.object({
          from: timestamp.meta({ example: '2026-11-21T00:00:00.000+09:00' }),
          until: timestamp.meta({ example: '2026-11-22T00:00:00.000+09:00' }),
          calls,
          answered: z.int().meta({ example: 96 }),
        }),
      )
      .meta({ description: 'Days in order; the last one is today.' }),
    end_reasons: z
      .array(z.object({ end_reason: endReason, calls: z.int().meta({ example: 42 }) }))
      .meta({ description: 'Reasons of the calls that ended in these days, most frequent first.' }),
    latency: z.object({ today: waiting, yesterday: waiting }).meta({
      description:
        'Waiting time of the other party for the agent, from the last sound of its words to the first sound of the reply: over the turns of the 300 newest answered calls of each day.',
    }),
    agents: z
      .array(
        z.object({
          number_id: z.uuid(),
          number: z.string().meta({ example: '07012345678' }),
          direction: z.enum(['inbound', 'outbound']),
          end_reason: endReason.meta({ description: '`agent_error` or `no_agent_endpoint`.' }),
          calls,
          failed,
        }),
      )
      .meta({ description: 'Agents that failed calls of these days.' }),
    trunks: z
      .array(
        z.object({
          trunk_id: z.string().meta({
            description: '`configured` for the trunk of the gateway itself.',
            example: '5a0a7a1e-6c5e-4a5e-9c39-0a3f5c3d7f10',
          }),
          name: z.string().meta({ example: 'carrier' }),
          calls,
          failed,
        }),
      )
      .meta({ description: 'Trunks with calls of these days that ended with `trunk_error`.' }),
    webhooks: z
      .array(
        z.object({
          id: z.uuid(),
          url: z.string().meta({ example: 'https://example.com/events' }),
          state: z.enum(['active', 'paused', 'disabled']),
          failing_since: timestamp.nullable().meta({
            description: 'The first failed attempt since the last success.',
          }),
          dead: z.int().meta({ description: 'Events that were given up.', example: 2 }),
        }),
      )
      .meta({
        description: 'Endpoints that are disabled or failing, or whose events were given up.',
      }),
  })
  .meta({ id: 'Overview' });

export const getOverview = defineRoute({
  method: 'get',
  path: '/api/v1/admin/overview',
  operationId: 'getOverview',
  tag: 'Workspace',
  summary: 'Read the overview',
  description:
    "Calls and answers by day, end reasons, turn latency of today and yesterday, and failing agents, trunks and webhooks, over the last days in the workspace's time zone, for all gateways. A call belongs to the day on which it started.",
  auth: 'viewer',
  query: z.object({
    days: integerInQuery(1, 31, 7).meta({ description: 'Number of days, including today.' }),
  }),
  responses: { 200: { description: 'The overview.', schema: overview } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, query }, services) => ({
  status: 200,
  body: await overviewOf(
    services.directory.administrator(caller),
    services.operation.clock.now(),
    query.days,
  ),
}));
