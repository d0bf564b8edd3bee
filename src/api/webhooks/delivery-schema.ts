import * as z from 'zod';
import { eventTypes } from '#src/domain/event-types.ts';
import type { DeliveryRecord } from '#src/events/endpoints.ts';
import { timestamp } from '../fields.ts';

export const deliveryState = z.enum(['pending', 'delivered', 'dead']);

export const delivery = z
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
    next_attempt_at: timestamp.nullable().meta({ description: 'Null when it is finished.', example: null }),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
    attempts: z.array(
      z.object({
        attempt: z.int().meta({ description: 'From 1.', example: 1 }),
        at: timestamp,
        duration_ms: z.number().meta({ example: 84 }),
        http_status: z.int().nullable().meta({ description: 'Null without a response.', example: 204 }),
        error: z.string().nullable().meta({ description: 'Null when it was delivered.' }),
      }),
    ),
  })
  .meta({ id: 'Delivery' });

export const presentDelivery = (record: DeliveryRecord) => ({ ...record, webhookId: record.endpointId });
