/**
 * Metrics of event deliveries. They are queried from the database at most every few seconds, and omitted while it does
 * not answer.
 */
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '#src/domain/clock.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { deliveryBacklog, type DeliveryBacklog } from '#src/persistence/events/delivery-backlog.ts';
import type { Database } from '#src/persistence/database/database.ts';

const keptMs = 10_000;
const patienceMs = 2_000;

export const watchDeliveries = (
  registry: Registry,
  { database, clock, logger }: { database: Database; clock: Clock; logger: Logger },
): void => {
  let asked: Promise<DeliveryBacklog | null> | null = null;
  let askedAt = -Infinity;

  const ask = async (): Promise<DeliveryBacklog | null> => {
    try {
      return await withTimeout(clock, patienceMs, () => deliveryBacklog(database));
    } catch (error) {
      logger.warn({ err: error }, 'delivery statistics could not be read');
      return null;
    }
  };

  const backlog = (): Promise<DeliveryBacklog | null> => {
    if (asked !== null && clock.now() - askedAt < keptMs) return asked;
    askedAt = clock.now();
    asked = ask();
    return asked;
  };

  void new Gauge({
    name: 'trunkline_event_deliveries',
    help: 'Deliveries of events over all gateways: pending, held while their endpoint is paused or disabled, dead',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      const found = await backlog();
      if (found === null) return;
      for (const state of ['pending', 'held', 'dead'] as const) this.set({ state }, found[state]);
    },
  });
  void new Gauge({
    name: 'trunkline_event_delivery_oldest_seconds',
    help: 'How long the oldest pending delivery of an event has been waiting; 0 when none is',
    registers: [registry],
    async collect() {
      this.remove();
      const found = await backlog();
      if (found === null) return;
      const { oldestPendingAt } = found;
      this.set(oldestPendingAt === null ? 0 : Math.max(0, clock.now() - oldestPendingAt.getTime()) / 1000);
    },
  });
};
