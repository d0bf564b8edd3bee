/** Delivery of events to customers' servers. */
import { deliveryPolicy } from '#config/policy.ts';
import { createDeliveryWorker, type DeliveryWorker } from '#src/events/delivery-worker.ts';
import { createWebhookTests } from '#src/events/test-event.ts';
import type { Runtime } from './runtime.ts';
import type { Outgoing } from './outgoing.ts';

export type Events = {
  deliveries: DeliveryWorker;
  webhookTests: ReturnType<typeof createWebhookTests>;
};

export const startEvents = async (
  { config, database: db, sealing, clock, databaseClock, logger, started }: Runtime,
  outgoing: Outgoing,
): Promise<Events> => {
  const deliveries = createDeliveryWorker({
    ...deliveryPolicy,
    node: config.node,
    db,
    sealing,
    clients: outgoing.receivers,
    clock: databaseClock,
    wallClock: clock,
    logger,
    random: Math.random,
  });
  started.defer(() => deliveries.close());
  return {
    deliveries,
    webhookTests: createWebhookTests({
      db,
      sealing,
      clients: outgoing.trials,
      clock,
      timeoutMs: deliveryPolicy.timeoutMs,
    }),
  };
};
