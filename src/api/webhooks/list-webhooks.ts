import * as z from 'zod';
import { defineRoute } from '../http/route.ts';
import { webhook } from './webhook-schema.ts';

export const listWebhooks = defineRoute({
  method: 'get',
  path: '/api/v1/admin/webhooks',
  operationId: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List the webhook endpoints',
  description: 'All endpoints of the workspace, oldest first; no secrets.',
  auth: 'viewer',
  responses: { 200: { description: 'The endpoints.', schema: z.object({ webhooks: z.array(webhook) }) } },
  refusals: [],
}).handledBy(async ({ caller }, { events }) => {
  const webhooks = await events.endpoints.list(caller.workspace.id);
  return { status: 200, body: { webhooks } };
});
