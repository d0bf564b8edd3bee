import { audit } from '../http/audit.ts';
import { defineRoute } from '../http/route.ts';
import { webhookInPath, webhookNotFound } from './webhook-schema.ts';

export const deleteWebhook = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/webhooks/{id}',
  operationId: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Remove a webhook endpoint',
  description: 'With its deliveries, including those in progress.',
  auth: 'admin',
  params: webhookInPath,
  responses: { 204: { description: 'Deleted.' } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const endpoint = { endpointId: params.id, workspaceId: caller.workspace.id };
  if (!(await services.events.endpoints.delete(endpoint))) throw webhookNotFound();
  await audit(services, caller, { action: 'webhook.deleted', subject: `webhook:${params.id}` });
  return { status: 204 };
});
