import * as z from 'zod';
import { defineRoute } from '../http/route.ts';

export const getCurrentGateway = defineRoute({
  method: 'get',
  path: '/api/v1/admin/gateways/current',
  operationId: 'getCurrentGateway',
  tag: 'Workspace',
  summary: 'The gateway of this request',
  description: 'Its version, and the parts with which it was started.',
  auth: 'viewer',
  responses: {
    200: {
      description: 'The gateway.',
      schema: z.object({
        name: z
          .string()
          .meta({ description: 'Its name among the gateways that share the database.', example: 'node-1' }),
        version: z.string().meta({ example: '0.1.0' }),
        is_simulated: z.boolean().meta({ description: 'Whether its lines are simulated.' }),
        has_inspector: z.boolean().meta({ description: 'Whether calls can be inspected (`GW_INSPECT=1`).' }),
      }),
    },
  },
  refusals: [],
}).handledBy((_request, { calls: { simulator }, operation: { node, version, inspects } }) => ({
  status: 200,
  body: { name: node, version, isSimulated: simulator !== null, hasInspector: inspects },
}));
