import { deleteEndpoint } from '#src/events/endpoints.ts';
import { audit } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { webhookInPath, webhookNotFound } from './webhook-schema.ts';

export const deleteWebhook = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/webhooks/{id}',
  operationId: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Remove a webhook endpoint',
  description: 'With its deliveries, those under way included.',
  auth: 'admin',
  params: webhookInPath,
  responses: { 204: { description: 'It is gone.' } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const endpoint = { endpointId: params.id, workspaceId: caller.workspace.id };
  if (!(await deleteEndpoint(services.database, endpoint))) throw webhookNotFound();
  await audit(services, caller, { action: 'webhook.deleted', subject: `webhook:${params.id}` });
  return { status: 204 };
});
