/** The way of events to the servers of customers. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createDeliveryWorker, type DeliveryWorker } from '#src/events/delivery-worker.ts';
import { createWebhookTests } from '#src/events/test-event.ts';
import { openDatabaseClock } from '#src/persistence/database-clock.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import type { Outgoing } from './start-outgoing.ts';

export type Events = { deliveries: DeliveryWorker; webhookTests: ReturnType<typeof createWebhookTests> };

export const startEvents = async (options: {
  policy: Omit<
    Parameters<typeof createDeliveryWorker>[0],
    'node' | 'db' | 'sealing' | 'clients' | 'clock' | 'wallClock' | 'logger' | 'random'
  >;
  node: string;
  database: Database;
  sealing: Sealing;
  outgoing: Pick<Outgoing, 'receivers' | 'trials'>;
  clock: Clock;
  /** One that nobody sets. */
  steadyClock: Clock;
  logger: Logger;
}): Promise<Events> => {
  const { policy, node, database: db, sealing, outgoing, clock, steadyClock, logger } = options;
  const databaseClock = await openDatabaseClock(db, { steady: steadyClock, logger });
  const worker = createDeliveryWorker({
    ...policy,
    node,
    db,
    sealing,
    clients: outgoing.receivers,
    clock: databaseClock.clock,
    wallClock: clock,
    logger,
    random: Math.random,
  });
  return {
    deliveries: {
      ...worker,
      async close() {
        databaseClock.close();
        await worker.close();
      },
    },
    webhookTests: createWebhookTests({
      db,
      sealing,
      clients: outgoing.trials,
      clock,
      timeoutMs: policy.timeoutMs,
    }),
  };
};
