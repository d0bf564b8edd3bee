import * as z from 'zod';
import { snakeCase } from '#src/domain/field-names.ts';
import { audit } from '../http/audit.ts';
import { defineRoute } from '../http/route.ts';
import { webhook, webhookFields, webhookInPath, webhookNotFound } from './webhook-schema.ts';

export const updateWebhook = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/webhooks/{id}',
  operationId: 'updateWebhook',
  tag: 'Webhooks',
  summary: 'Change, pause or resume a webhook endpoint',
  description: 'Changes the given fields. Events of a paused endpoint are delivered when it is active again.',
  auth: 'admin',
  params: webhookInPath,
  body: z
    .strictObject({ ...webhookFields, state: z.enum(['active', 'paused']) })
    .partial()
    .meta({ example: { state: 'paused' } }),
  responses: { 200: { description: 'The endpoint.', schema: webhook } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  const wanted = { endpointId: params.id, workspaceId: caller.workspace.id };
  const endpoint = await services.events.endpoints.patch(wanted, body);
  if (endpoint === undefined) throw webhookNotFound();
  await audit(services, caller, {
    action: 'webhook.changed',
    subject: `webhook:${endpoint.id}`,
    detail: { fields: Object.keys(body).map(snakeCase) },
  });
  return { status: 200, body: endpoint };
});
