import * as z from 'zod';
import { trunkStatistics } from '#src/administration/trunk-statistics.ts';
import { momentInQuery, timestamp } from '../fields.ts';
import { defineRoute } from '../http/route.ts';

const dayMs = 86_400_000;

const figures = z
  .object({
    trunk_id: z.string().meta({
      description: '`configured` for the trunk of the gateway itself.',
      example: '5a0a7a1e-6c5e-4a5e-9c39-0a3f5c3d7f10',
    }),
    name: z.string().meta({ example: 'carrier' }),
    outbound_calls: z.int().meta({ description: 'Ended outbound calls on it.', example: 120 }),
    outbound_answered: z.int().meta({ example: 78 }),
    outbound_failed_over: z
      .int()
      .meta({ description: 'Calls that it failed and another trunk took.', example: 3 }),
    inbound_calls: z.int().meta({ example: 40 }),
    inbound_answered: z.int().meta({ example: 40 }),
    answer_seizure_ratio: z.number().nullable().meta({
      description:
        'ASR, 0 to 1: the share of its outbound calls that was answered, including those it failed.',
      example: 0.634,
    }),
    average_call_duration_sec: z
      .number()
      .nullable()
      .meta({ description: 'ACD, over answered calls of both directions.', example: 71.4 }),
    post_dial_delay_ms: z.number().nullable().meta({
      description: 'Average PDD: from the INVITE until the callee rings or answers.',
      example: 1830,
    }),
    mos: z
      .number()
      .nullable()
      .meta({ description: 'Average mean opinion score of received audio.', example: 4.31 }),
    one_way_calls: z.int().meta({ description: 'Calls in which one party heard nothing.', example: 0 }),
  })
  .meta({ id: 'TrunkStatistics' });

export const listTrunkFigures = defineRoute({
  method: 'get',
  path: '/api/v1/admin/trunk-figures',
  operationId: 'listTrunkFigures',
  tag: 'Trunks',
  summary: 'Read statistics of trunks',
  description:
    "ASR, ACD, PDD and MOS of each trunk, over the workspace's calls that started within the given time, for all gateways. Null without data. Deleted trunks are included as long as their calls exist.",
  auth: 'viewer',
  query: z.object({
    since: momentInQuery.optional().meta({
      description: 'Calls that started at this time or later; default: 24 hours before `until`.',
    }),
    until: momentInQuery
      .optional()
      .meta({ description: 'Calls that started before this time; default: now.' }),
  }),
  responses: {
    200: {
      description: 'The statistics.',
      schema: z.object({ since: timestamp, until: timestamp, trunks: z.array(figures) }),
    },
  },
  refusals: [],
}).handledBy(async ({ caller, query }, services) => {
  const { until = new Date(services.operation.clock.now()) } = query;
  const { since = new Date(until.getTime() - dayMs) } = query;
  const trunks = await trunkStatistics(services.directory.administrator(caller), { since, until });
  return { status: 200, body: { since, until, trunks } };
});
