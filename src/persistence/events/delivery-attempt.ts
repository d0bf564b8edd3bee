import { defineEntity, p } from '@mikro-orm/core';
import { EventDelivery } from './event-delivery.ts';

/** One request of a delivery and its result. */
export const DeliveryAttempt = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  properties: {
    deliveryId: () =>
      p.manyToOne(EventDelivery).mapToPk().primary().fieldName('delivery_id').deleteRule('cascade'),
    /** From 1. */
    attempt: p.integer().primary(),
    at: p.datetime(3),
    durationMs: p.integer(),
    /** Null if no answer arrived. */
    httpStatus: p.integer().nullable(),
    /** Null if the attempt succeeded. */
    error: p.text().nullable(),
  },
});
