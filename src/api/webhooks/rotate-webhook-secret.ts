import { audit } from '../http/audit.ts';
import { defineRoute } from '../http/route.ts';
import { webhookInPath, webhookNotFound, webhookWithSecret } from './webhook-schema.ts';

export const rotateWebhookSecret = defineRoute({
  method: 'post',
  path: '/api/v1/admin/webhooks/{id}/rotate',
  operationId: 'rotateWebhookSecret',
  tag: 'Webhooks',
  summary: 'Replace the secret of a webhook endpoint',
  description: 'Both secrets sign for 24 hours, so the receiver can switch at any time.',
  auth: 'admin',
  params: webhookInPath,
  responses: { 200: { description: 'The endpoint, with its new secret.', schema: webhookWithSecret } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const endpoint = { endpointId: params.id, workspaceId: caller.workspace.id };
  const rotated = await services.events.endpoints.rotateSecret(endpoint);
  if (rotated === undefined) throw webhookNotFound();
  await audit(services, caller, { action: 'webhook.rotated', subject: `webhook:${params.id}` });
  return { status: 200, body: { ...rotated.endpoint, secret: rotated.secret } };
});
