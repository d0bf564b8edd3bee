import { audit } from '../http/audit.ts';
import { defineRoute } from '../http/route.ts';
import {
  webhookInPath,
  webhookNotFound,
  webhookWithSecret,
  webhook,
  webhookFields,
} from './webhook-schema.ts';
import * as z from 'zod';
import { changesBetween } from '#src/administration/administrator.ts';
import { auditedUrl } from '#src/administration/audited-url.ts';
import type { WebhookEndpoint } from '#src/events/endpoints.ts';

const auditedFields = ['url', 'events', 'numberId', 'state'] as const;

const audited = ({ url, ...endpoint }: Pick<WebhookEndpoint, (typeof auditedFields)[number]>) => ({
  ...endpoint,
  url: auditedUrl(url),
});

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
  await audit(services, caller, {
    action: 'webhook.created',
    subject: `webhook:${endpoint.id}`,
    detail: { url: auditedUrl(endpoint.url) },
  });
  return { status: 201, body: { ...endpoint, secret } };
});

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
  const before = await services.events.endpoints.get(wanted);
  const endpoint = await services.events.endpoints.patch(wanted, body);
  if (before === undefined || endpoint === undefined) throw webhookNotFound();
  await audit(services, caller, {
    action: 'webhook.changed',
    subject: `webhook:${endpoint.id}`,
    detail: { changes: changesBetween(auditedFields, audited(before), audited(endpoint)) },
  });
  return { status: 200, body: endpoint };
});

export const deleteWebhook = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/webhooks/{id}',
  operationId: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Remove a webhook endpoint',
  description: 'Deletes the endpoint with its deliveries, including those in progress.',
  auth: 'admin',
  params: webhookInPath,
  responses: { 204: { description: 'Deleted.' } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const endpoint = { endpointId: params.id, workspaceId: caller.workspace.id };
  const before = await services.events.endpoints.get(endpoint);
  if (before === undefined || !(await services.events.endpoints.delete(endpoint))) throw webhookNotFound();
  await audit(services, caller, {
    action: 'webhook.deleted',
    subject: `webhook:${params.id}`,
    detail: { url: auditedUrl(before.url) },
  });
  return { status: 204 };
});

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
