import { defineEntity, p } from '@mikro-orm/core';
import type { ServerTrouble } from '#src/domain/server-advice.ts';
import { EventDelivery } from './event-delivery.ts';

/** One request of a delivery and its result. */
export const DeliveryAttempt = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  properties: {
    deliveryId: () =>
      p.manyToOne(EventDelivery).mapToPk().primary().fieldName('delivery_id').deleteRule('cascade'),
    /** Number of the attempt, counted from 1. */
    attempt: p.integer().primary(),
    at: p.datetime(3),
    durationMs: p.integer(),
    /** Status of the response; null without a response. */
    httpStatus: p.integer().nullable(),
    /** Error of the attempt; null if it succeeded. */
    error: p.text().nullable(),
    /** Cause of the error, and advice for the owner of the endpoint; null if it succeeded or the cause is unknown. */
    code: p.text().$type<ServerTrouble>().nullable(),
    advice: p.text().nullable(),
  },
});
