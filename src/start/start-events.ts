/** The way of events to the servers of customers. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createDeliveryWorker, type DeliveryWorker } from '#src/events/delivery-worker.ts';
import { createWebhookTests } from '#src/events/test-event.ts';
import type { EndpointClient } from '#src/outgoing/endpoint-client.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Vault } from '#src/persistence/vault.ts';

export type Events = { deliveries: DeliveryWorker; webhookTests: ReturnType<typeof createWebhookTests> };

export const startEvents = (options: {
  policy: Omit<
    Parameters<typeof createDeliveryWorker>[0],
    'node' | 'db' | 'vault' | 'client' | 'clock' | 'logger' | 'random'
  >;
  node: string;
  database: Database;
  vault: Vault;
  client: EndpointClient;
  clock: Clock;
  logger: Logger;
}): Events => {
  const { policy, node, database: db, vault, client, clock, logger } = options;
  return {
    deliveries: createDeliveryWorker({
      ...policy,
      node,
      db,
      vault,
      client,
      clock,
      logger,
      random: Math.random,
    }),
    webhookTests: createWebhookTests({ db, vault, client, clock, timeoutMs: policy.timeoutMs }),
  };
};
