import { defineEntity, p } from '@mikro-orm/core';
import { Event } from './event.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

/** Delivery of one event to one endpoint. */
export const EventDelivery = defineEntity({
  name: 'EventDelivery',
  tableName: 'event_delivery',
  properties: {
    id: p.uuid().primary(),
    eventId: () => p.manyToOne(Event).mapToPk().index().fieldName('event_id'),
    endpointId: () => p.manyToOne(WebhookEndpoint).mapToPk().fieldName('endpoint_id').deleteRule('cascade'),
    callId: p.uuid(),
    /** Position among the call's events: the sequence of the fact that caused the event, or 0 for `call.ringing`. */
    position: p.integer(),
    state: p.enum(['pending', 'delivered', 'dead']),
    attempts: p.integer().default(0),
    /** Number of attempts before the last manual replay, which restarts the schedule. */
    attemptsBefore: p.integer().default(0),
    nextAttemptAt: p.datetime(3),
    /** End of the claim by a node. */
    claimedUntil: p.datetime(3).nullable(),
    /** Name of the node that has claimed the delivery; null if no node has. */
    claimedBy: p.text().nullable(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'event_delivery_due_index',
      properties: ['endpointId', 'nextAttemptAt'],
      where: "state = 'pending'",
    },
    {
      name: 'event_delivery_claimed_index',
      properties: ['endpointId', 'claimedUntil'],
      where: "state = 'pending' and claimed_until is not null",
    },
    {
      name: 'event_delivery_order_index',
      properties: ['endpointId', 'callId', 'position'],
      where: "state = 'pending'",
    },
    {
      name: 'event_delivery_claimed_by_index',
      properties: ['claimedBy'],
      where: 'claimed_by is not null',
    },
    { name: 'event_delivery_dead_index', properties: ['endpointId'], where: "state = 'dead'" },
    {
      name: 'event_delivery_endpoint_id_created_at_id_index',
      properties: ['endpointId', 'createdAt', 'id'],
    },
  ],
});
