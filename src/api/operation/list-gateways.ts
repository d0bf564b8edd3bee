import * as z from 'zod';
import { timestamp } from '../fields.ts';
import { defineRoute } from '../http/route.ts';

const calls = z.int().nonnegative();

const gateway = z
  .object({
    name: z
      .string()
      .meta({ description: 'Its name among the gateways that share the database.', example: 'node-1' }),
    state: z.enum(['running', 'silent', 'lost']).meta({
      description:
        '`silent`: it does not reach the database, or has just died. `lost`: the others found it dead, and take its calls over.',
    }),
    seen_at: timestamp.meta({ description: 'Its last heartbeat.' }),
    takes_calls: z.boolean().meta({
      description: 'Whether this gateway may take over calls of another one.',
    }),
    calls: z
      .object({
        ringing: calls,
        active: calls,
        taken_over: calls.meta({
          description: 'Active calls that began at another gateway, or before the last start of this one.',
        }),
      })
      .meta({ description: 'Calls of the workspace that it owns.' }),
    version: z.string().nullable().meta({
      description: 'Its version; null for versions that do not tell it.',
      example: '0.1.0',
    }),
    load: z
      .object({
        utilization: z.number().meta({
          description: 'Share of the time in which its main thread was busy, from 0 to 1.',
          example: 0.12,
        }),
        memory: z
          .number()
          .meta({ description: 'Share of its memory that is in use, from 0 to 1.', example: 0.2 }),
        delay_ms: z
          .number()
          .meta({ description: 'How late its timers are, because it is busy. Milliseconds.', example: 0 }),
      })
      .nullable()
      .meta({
        description:
          'Its load, at most a few seconds old; null for a gateway that is not running, and for versions that do not tell it.',
      }),
    is_current: z.boolean().meta({ description: 'Whether this gateway answered the request.' }),
  })
  .meta({ id: 'Gateway' });

export const listGateways = defineRoute({
  method: 'get',
  path: '/api/v1/admin/gateways',
  operationId: 'listGateways',
  tag: 'Workspace',
  summary: 'List the gateways',
  description:
    "The gateways that share the database, by name, with the workspace's calls that each owns. Calls move when a gateway dies or hands them over.",
  auth: 'viewer',
  responses: { 200: { description: 'The gateways.', schema: z.object({ gateways: z.array(gateway) }) } },
  refusals: [],
}).handledBy(async ({ caller }, { directory, operation }) => {
  const gateways = await directory.gateways(caller.workspace.id);
  const presented = gateways.map((each) => {
    const isCurrent = each.name === operation.node;
    const own = isCurrent ? { version: operation.version, load: operation.load() } : {};
    return { ...each, ...own, isCurrent };
  });
  return { status: 200, body: { gateways: presented } };
});
