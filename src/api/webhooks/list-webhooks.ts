import * as z from 'zod';
import { listEndpoints } from '#src/events/endpoints.ts';
import { defineRoute } from '../route.ts';
import { webhook } from './webhook-schema.ts';

export const listWebhooks = defineRoute({
  method: 'get',
  path: '/api/v1/admin/webhooks',
  operationId: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List the webhook endpoints',
  description: 'All of the workspace, the oldest first; no secrets.',
  auth: 'viewer',
  responses: { 200: { description: 'The endpoints.', schema: z.object({ webhooks: z.array(webhook) }) } },
  refusals: [],
}).handledBy(async ({ caller }, { database }) => {
  const webhooks = await listEndpoints(database, caller.workspace.id);
  return { status: 200, body: { webhooks } };
});
