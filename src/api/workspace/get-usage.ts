import * as z from 'zod';
import { usageOf } from '#src/administration/usage.ts';
import { timestamp } from '../fields.ts';
import { defineRoute } from '../http/route.ts';

const minutes = {
  limit: z.int().nullable().meta({ description: 'Minutes a day; null for no limit.', example: 600 }),
  talked_minutes: z.number().meta({ description: 'Talked so far.', example: 214.5 }),
  held_minutes: z.number().meta({
    description:
      'The same, with calls in progress at their maximum duration: what exceeds the limit is available to later calls.',
    example: 234.5,
  }),
};

const usage = z
  .object({
    from: timestamp.meta({ example: '2026-11-21T00:00:00.000+09:00' }),
    until: timestamp.meta({
      description: 'Start of the next day of the workspace.',
      example: '2026-11-22T00:00:00.000+09:00',
    }),
    workspace: z.object(minutes),
    numbers: z.array(
      z.object({ number_id: z.uuid(), number: z.string().meta({ example: '07012345678' }), ...minutes }),
    ),
  })
  .meta({ id: 'Usage' });

export const getUsage = defineRoute({
  method: 'get',
  path: '/api/v1/admin/usage',
  operationId: 'getUsage',
  tag: 'Workspace',
  summary: 'Read the minutes of outbound calls of this day',
  description:
    'Total duration of the outbound calls that began on this day of the workspace, in all and by number, with the limits (`daily_minutes`).',
  auth: 'viewer',
  responses: { 200: { description: 'The minutes of this day.', schema: usage } },
  refusals: ['not_found'],
}).handledBy(async ({ caller }, services) => {
  const { day, ...used } = await usageOf(
    services.directory.administrator(caller),
    services.directory.platform.dailyMinutes,
    services.operation.clock.now(),
  );
  return { status: 200, body: { ...day, ...used } };
});
