import * as z from 'zod';
import { audit } from '../http/audit.ts';
import { defineRoute } from '../http/route.ts';
import { webhookFields, webhookWithSecret } from './webhook-schema.ts';

export const createWebhook = defineRoute({
  method: 'post',
  path: '/api/v1/admin/webhooks',
  operationId: 'createWebhook',
  tag: 'Webhooks',
  summary: 'Add a webhook endpoint',
  description:
    'Events are delivered at least once, in order for each call, signed according to Standard Webhooks.',
  auth: 'admin',
  body: z.strictObject({
    url: webhookFields.url,
    events: webhookFields.events.optional(),
    number_id: webhookFields.number_id.optional(),
  }),
  responses: { 201: { description: 'The endpoint, with its secret.', schema: webhookWithSecret } },
  refusals: [],
}).handledBy(async ({ caller, body }, services) => {
  const { endpoint, secret } = await services.events.endpoints.create(caller.workspace.id, {
    events: null,
    numberId: null,
    ...body,
  });
  await audit(services, caller, { action: 'webhook.created', subject: `webhook:${endpoint.id}` });
  return { status: 201, body: { ...endpoint, secret } };
});
