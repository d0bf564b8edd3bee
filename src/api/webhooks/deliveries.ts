import * as z from 'zod';
import { serverTroubles } from '#src/domain/server-advice.ts';
import { audit } from '../http/audit.ts';
import { defineRoute } from '../http/route.ts';
import { webhookInPath, webhookNotFound } from './webhook-schema.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { idInPath } from '../ids.ts';
import { encodeMomentCursor, momentCursorInQuery, nextCursor } from '../http/cursor.ts';
import { integerInQuery, timestamp } from '../fields.ts';
import { eventTypes } from '#src/domain/event-types.ts';
import type { DeliveryRecord } from '#src/events/endpoints.ts';

const deliveryState = z.enum(['pending', 'delivered', 'dead']);

const delivery = z
  .object({
    id: z.uuid(),
    webhook_id: z.uuid(),
    event_id: z.string().meta({ example: 'evt_2x7TjvMZbCDbJ3dXoPpXkA' }),
    type: z.enum(eventTypes).meta({ example: 'call.ended' }),
    call_id: z.uuid(),
    state: deliveryState.meta({
      description: '`dead`: not retried, unless it is replayed.',
      example: 'delivered',
    }),
    next_attempt_at: timestamp.nullable().meta({
      description:
        'The next attempt, never in the past; null when it is finished, and while the endpoint is not active.',
      example: null,
    }),
    waits_for: z.enum(['receiver', 'resumption', 'earlier_event']).nullable().meta({
      description:
        'Why a pending delivery has not been sent: its receiver refuses events for now, its endpoint is paused, or an earlier event of the same call is not delivered yet. Null for a delivery that follows its own schedule.',
      example: null,
    }),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
    attempts: z.array(
      z.object({
        attempt: z.int().meta({ description: 'Number of the attempt, from 1.', example: 1 }),
        at: timestamp,
        duration_ms: z.number().meta({ example: 84 }),
        http_status: z.int().nullable().meta({ description: 'Null without a response.', example: 204 }),
        error: z.string().nullable().meta({ description: 'Null when it was delivered.' }),
        code: z.enum(serverTroubles).nullable().meta({
          description: 'A stable code of the cause; null when it was delivered or the cause is unknown.',
          example: null,
        }),
        advice: z.string().nullable().meta({
          description:
            'The cause in a sentence, with advice; null when it was delivered or the cause is unknown.',
          example: null,
        }),
      }),
    ),
  })
  .meta({ id: 'Delivery' });

/** Maximum number of characters of a body that are returned. */
const shownCharacters = 16_000;

const deliveryWithPayload = z
  .object({
    ...delivery.shape,
    payload: z.string().meta({
      description: `The body that is sent, as JSON; its first ${shownCharacters} characters.`,
      example: '{"id":"evt_2x7TjvMZbCDbJ3dXoPpXkA","type":"call.ended"}',
    }),
    payload_truncated: z.boolean().meta({ description: 'Whether the body is longer.', example: false }),
  })
  .meta({ id: 'DeliveryWithPayload' });

const deliveryNotFound = (): Refusal =>
  new Refusal('not_found', 'There is no delivery with this id in the workspace.');

const presentDelivery = (record: DeliveryRecord) => ({ ...record, webhookId: record.endpointId });

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

export const getDelivery = defineRoute({
  method: 'get',
  path: '/api/v1/admin/deliveries/{id}',
  operationId: 'getDelivery',
  tag: 'Webhooks',
  summary: 'Read a delivery with its body',
  description: 'Its state, its attempts, and the event as it is sent.',
  auth: 'viewer',
  params: z.object({ id: idInPath('The delivery.') }),
  responses: { 200: { description: 'The delivery.', schema: deliveryWithPayload } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, { events }) => {
  const found = await events.endpoints.delivery({ deliveryId: params.id, workspaceId: caller.workspace.id });
  if (found === undefined) throw deliveryNotFound();
  const { payload, ...record } = found;
  return {
    status: 200,
    body: {
      ...presentDelivery(record),
      payload: payload.slice(0, shownCharacters),
      payloadTruncated: payload.length > shownCharacters,
    },
  };
});

export const replayDelivery = defineRoute({
  method: 'post',
  path: '/api/v1/admin/deliveries/{id}/replay',
  operationId: 'replayDelivery',
  tag: 'Webhooks',
  summary: 'Deliver again',
  description:
    'Tries a delivery at once and restarts its schedule, whatever its state; a running attempt is not interrupted. The event keeps its id.',
  auth: 'admin',
  params: z.object({ id: idInPath('The delivery.') }),
  responses: { 202: { description: 'The delivery will be attempted now.', schema: delivery } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const { id: workspaceId } = caller.workspace;
  const record = await services.events.endpoints.replay({ deliveryId: params.id, workspaceId });
  if (record === undefined) throw deliveryNotFound();
  await audit(services, caller, { action: 'delivery.replayed', subject: `delivery:${record.id}` });
  return { status: 202, body: presentDelivery(record) };
});

export const testWebhook = defineRoute({
  method: 'post',
  path: '/api/v1/admin/webhooks/{id}/test',
  operationId: 'testWebhook',
  tag: 'Webhooks',
  summary: 'Test a webhook endpoint',
  description:
    'Sends one event of the type `webhook.test` at once and returns the result, with advice if it was not delivered.',
  auth: 'admin',
  params: webhookInPath,
  responses: {
    200: {
      description: 'The result.',
      schema: z.object({
        http_status: z.int().nullable().meta({ description: 'Null without a response.', example: 204 }),
        error: z.string().nullable().meta({ description: 'Null when it was delivered.' }),
        duration_ms: z.number().meta({ example: 84 }),
        code: z.enum(serverTroubles).nullable().meta({
          description: 'A stable code of the cause. Null when it was delivered.',
          example: null,
        }),
        advice: z.string().nullable().meta({
          description: 'The cause in a sentence, with advice. Null when it was delivered.',
          example: null,
        }),
      }),
    },
  },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const { advice, ...went } = await services.events.webhookTests.send({
    id: params.id,
    workspaceId: caller.workspace.id,
  });
  await audit(services, caller, { action: 'webhook.tested', subject: `webhook:${params.id}` });
  return { status: 200, body: { ...went, code: advice?.code ?? null, advice: advice?.words ?? null } };
});
