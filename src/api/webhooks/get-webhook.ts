import { defineRoute } from '../http/route.ts';
import { webhook, webhookInPath, webhookNotFound } from './webhook-schema.ts';

export const getWebhook = defineRoute({
  method: 'get',
  path: '/api/v1/admin/webhooks/{id}',
  operationId: 'getWebhook',
  tag: 'Webhooks',
  summary: 'Read a webhook endpoint',
  description: 'Its settings and its state; no secrets.',
  auth: 'viewer',
  params: webhookInPath,
  responses: { 200: { description: 'The endpoint.', schema: webhook } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, { events }) => {
  const endpoint = await events.endpoints.get({ endpointId: params.id, workspaceId: caller.workspace.id });
  if (endpoint === undefined) throw webhookNotFound();
  return { status: 200, body: endpoint };
});
