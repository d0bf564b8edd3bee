/**
 * Delivers stored events to customers' endpoints at least once (guides/design/events.md, "Delivery"). Theory of
 * operation:
 *
 * - The rows are the queue. The worker looks when a delivery is inserted (LISTEN), when an attempt ends and when the
 *   next one is due. It claims due deliveries within its limits and starts one attempt each.
 * - A claim is a lease in the row with the node's name. It lasts longer than any attempt, so nobody else takes a
 *   delivery in progress. Claims of a killed process are released when its node restarts or is found dead, and expire
 *   with the lease in any case. The receiver may then get the same `webhook-id` again.
 * - An endpoint has at most `perEndpoint` claimed deliveries, and a workspace holds a place of `inAll` only while it
 *   holds fewer than are free, so slow endpoints leave room for others.
 * - An endpoint that did not answer several times in a row cools down and is then tried with one delivery. Waiting
 *   deliveries lose no attempt.
 * - An endpoint receives the events of one call in order: each after the previous one was delivered or died. Other
 *   calls are independent.
 * - Deliveries of a paused or disabled endpoint are not claimed; they wait until it is active again.
 */
import {
  createCircuitBreakers,
  type BreakerNumbers,
  type CircuitBreakers,
} from '#src/domain/circuit-breakers.ts';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import {
  claimDeliveries,
  nextDeliveryDueAt,
  releaseDeliveriesOf,
  releaseDelivery,
} from '#src/persistence/deliveries.ts';
import { deliveriesChannel } from '#src/persistence/outbox.ts';
import type { AttemptOptions } from './attempt-delivery.ts';
import { createAttempts } from './attempts.ts';

export type DeliveryWorkerOptions = Omit<AttemptOptions, 'breakers'> & {
  /** Name of this gateway among those that share the database. */
  node: string;
  /** Concurrent attempts, per endpoint and for this process. */
  perEndpoint: number;
  inAll: number;
  /** When an endpoint cools down. */
  breakers: BreakerNumbers;
  /** How long `close` waits for attempts before it cancels them. */
  closeMs: number;
};

export type DeliveryWorker = {
  /**
   * Releases claims of a dead process of this node, listens, and starts due deliveries. Rejects when the database is
   * unreachable.
   */
  start(): Promise<void>;
  /** Stops claiming, waits for attempts in progress, and releases those that take longer than `closeMs`. */
  close(): Promise<void>;
};

/** Margin of a lease over the attempt's time limit, for reading the secret and storing the outcome. */
const leaseMarginMs = 30_000;

/** Longest interval between two looks, in case a notification is lost. */
const longestSleepMs = 60_000;

/** Delay after a failed query. */
const databaseRetryMs = 1_000;

/** Endpoints that do not answer, their number of allowed deliveries, and the time of the next one. */
const leftAlone = (breakers: CircuitBreakers): { restrained: Map<string, number>; againInMs: number } => {
  const restrained = new Map<string, number>();
  let againInMs = Infinity;
  for (const [endpointId, breaker] of breakers.notClosed()) {
    const isCooling = breaker.state() === 'open' && breaker.remainingMs() > 0;
    restrained.set(endpointId, isCooling ? 0 : 1);
    if (isCooling) againInMs = Math.min(againInMs, breaker.remainingMs());
  }
  return { restrained, againInMs };
};

export const createDeliveryWorker = (options: DeliveryWorkerOptions): DeliveryWorker => {
  const { db, node, clock, timeoutMs, perEndpoint, inAll, logger } = options;
  const breakers = createCircuitBreakers(clock, options.breakers);
  const attempts = createAttempts({ ...options, breakers }, () => look());
  let unlisten: (() => Promise<void>) | undefined;
  let timer: unknown;
  let isClosing = false;

  /** Starts due deliveries within the limits; returns when to look again, in milliseconds since the epoch. */
  const claimDue = async (): Promise<number> => {
    const now = clock.now();
    const free = inAll - attempts.count();
    // Without a free place, the next attempt that ends triggers a look.
    if (free <= 0) return now + longestSleepMs;
    const { restrained, againInMs } = leftAlone(breakers);
    const claimed = await claimDeliveries(db, {
      node,
      now: new Date(now),
      until: new Date(now + timeoutMs + leaseMarginMs),
      free,
      held: attempts.byWorkspace(),
      perEndpoint,
      restrained,
    });
    // Deliveries found by a look during close are released for the next process.
    if (isClosing) await Promise.all(claimed.map(({ id }) => releaseDelivery(db, id)));
    else claimed.forEach(attempts.begin);
    const next = await nextDeliveryDueAt(db, new Date(now));
    return Math.min(now + longestSleepMs, now + againInMs, next?.getTime() ?? Infinity);
  };

  const claimOrRetry = async (): Promise<number> => {
    const now = clock.now();
    try {
      return await claimDue();
    } catch (err) {
      logger.warn({ err }, 'deliveries could not be read; trying again');
      return now + databaseRetryMs;
    }
  };

  const looking = createCoalescedTask(async () => {
    clock.clearTimeout(timer);
    const nextLook = await claimOrRetry();
    timer = clock.setTimeout(look, Math.max(0, nextLook - clock.now()));
  });
  const look = (): void => void looking.run();

  return {
    async start() {
      const released = await releaseDeliveriesOf(db, node);
      if (released > 0) logger.info({ deliveries: released }, 'deliveries of a dead process are free again');
      unlisten = await db.listen(deliveriesChannel, look);
      look();
    },
    async close() {
      isClosing = true;
      const looked = looking.close();
      await unlisten?.();
      await looked;
      clock.clearTimeout(timer);
      await attempts.close();
    },
  };
};
