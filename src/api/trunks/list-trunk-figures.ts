import * as z from 'zod';
import { trunkFigures } from '#src/administration/trunk-figures.ts';
import { administratorOf } from '../audit.ts';
import { momentInQuery, timestamp } from '../fields.ts';
import { defineRoute } from '../route.ts';

const dayMs = 86_400_000;

const figures = z
  .object({
    trunk_id: z.string().meta({
      description: '`configured` for the trunk of the gateway itself.',
      example: '5a0a7a1e-6c5e-4a5e-9c39-0a3f5c3d7f10',
    }),
    name: z.string().meta({ example: 'carrier' }),
    outbound_calls: z.int().meta({ description: 'That went out by it, and ring no more.', example: 120 }),
    outbound_answered: z.int().meta({ example: 78 }),
    outbound_failed_over: z
      .int()
      .meta({ description: 'That it failed, and that went on to another trunk.', example: 3 }),
    inbound_calls: z.int().meta({ example: 40 }),
    inbound_answered: z.int().meta({ example: 40 }),
    answer_seizure_ratio: z.number().nullable().meta({
      description:
        'ASR, 0 to 1: of the outbound calls that went to it, those it failed included, the share that was answered.',
      example: 0.634,
    }),
    average_call_duration_sec: z
      .number()
      .nullable()
      .meta({ description: 'ACD, over answered calls of both directions.', example: 71.4 }),
    post_dial_delay_ms: z.number().nullable().meta({
      description: 'PDD: on the average, from the INVITE until the callee rings or answers.',
      example: 1830,
    }),
    mos: z
      .number()
      .nullable()
      .meta({ description: 'Mean opinion score of what came in, on the average.', example: 4.31 }),
    one_way_calls: z.int().meta({ description: 'In which one of both heard nothing.', example: 0 }),
  })
  .meta({ id: 'TrunkFigures' });

export const listTrunkFigures = defineRoute({
  method: 'get',
  path: '/api/v1/admin/trunk-figures',
  operationId: 'listTrunkFigures',
  tag: 'Trunks',
  summary: 'How calls went on each trunk',
  description:
    'ASR, ACD, PDD and MOS of each trunk, over the calls of the workspace that started within the given time, of all gateways. Null where no call has brought the figure. Trunks that are deleted are there as long as their calls are.',
  auth: 'viewer',
  query: z.object({
    since: momentInQuery.optional().meta({
      description: 'Calls that started at this moment or later; 24 hours before `until` when absent.',
    }),
    until: momentInQuery
      .optional()
      .meta({ description: 'Calls that started before this moment; now, when it is absent.' }),
  }),
  responses: {
    200: {
      description: 'The figures.',
      schema: z.object({ since: timestamp, until: timestamp, trunks: z.array(figures) }),
    },
  },
  refusals: [],
}).handledBy(async ({ caller, query }, services) => {
  const { until = new Date(services.clock.now()) } = query;
  const { since = new Date(until.getTime() - dayMs) } = query;
  const trunks = await trunkFigures(administratorOf(services, caller), { since, until });
  return { status: 200, body: { since, until, trunks } };
});
