import * as z from 'zod';
import { listGateways as gatewaysOf } from '#src/administration/list-gateways.ts';
import { timestamp } from '../fields.ts';
import { defineRoute } from '../route.ts';

const calls = z.int().nonnegative();

const gateway = z
  .object({
    name: z
      .string()
      .meta({ description: 'Its name among those that share the database.', example: 'node-1' }),
    state: z.enum(['running', 'silent', 'lost']).meta({
      description:
        '`silent`: it does not reach the database, or has died a moment ago. `lost`: the others found it dead, and go on with its calls.',
    }),
    seen_at: timestamp.meta({ description: 'When it last said that it lives.' }),
    takes_calls: z.boolean().meta({
      description: 'Whether calls of another gateway that ends, or has died, may go on here.',
    }),
    calls: z
      .object({
        ringing: calls,
        active: calls,
        taken_over: calls.meta({
          description: 'Those of them that began at another gateway, or before its last start.',
        }),
      })
      .meta({ description: 'Calls of the workspace that it holds.' }),
    is_current: z.boolean().meta({ description: 'Whether it has answered this request.' }),
  })
  .meta({ id: 'Gateway' });

export const listGateways = defineRoute({
  method: 'get',
  path: '/api/v1/admin/gateways',
  operationId: 'listGateways',
  tag: 'Workspace',
  summary: 'List the gateways',
  description:
    'Those that share the database, by name, with the calls of the workspace that each holds. When one dies or hands its calls over, they move.',
  auth: 'viewer',
  responses: { 200: { description: 'The gateways.', schema: z.object({ gateways: z.array(gateway) }) } },
  refusals: [],
}).handledBy(async ({ caller }, { database, node }) => {
  const gateways = await gatewaysOf(database, caller.workspace.id);
  return {
    status: 200,
    body: { gateways: gateways.map((each) => ({ ...each, isCurrent: each.name === node })) },
  };
});
