import * as z from 'zod';
import { encodeMomentCursor, momentCursorInQuery, nextCursor } from '../http/cursor.ts';
import { integerInQuery } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { delivery, deliveryState, presentDelivery } from './delivery-schema.ts';
import { webhookInPath, webhookNotFound } from './webhook-schema.ts';

export const listDeliveries = defineRoute({
  method: 'get',
  path: '/api/v1/admin/webhooks/{id}/deliveries',
  operationId: 'listDeliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook endpoint',
  description: 'Newest first, each with its attempts.',
  auth: 'viewer',
  params: webhookInPath,
  query: z.object({
    limit: integerInQuery(1, 200, 50),
    cursor: momentCursorInQuery.optional(),
    state: deliveryState.optional(),
  }),
  responses: {
    200: {
      description: 'A page of deliveries.',
      schema: z.object({
        deliveries: z.array(delivery),
        next_cursor: nextCursor,
      }),
    },
  },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params, query: { limit, cursor, state } }, { events }) => {
  const { id: workspaceId } = caller.workspace;
  const found = await events.endpoints.deliveries(
    { endpointId: params.id, workspaceId },
    { limit: limit + 1, state, after: cursor && { createdAt: cursor.at, id: cursor.id } },
  );
  if (found === undefined) throw webhookNotFound();
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    status: 200,
    body: {
      deliveries: page.map(presentDelivery),
      nextCursor: last === undefined ? null : encodeMomentCursor({ at: last.createdAt, id: last.id }),
    },
  };
});
