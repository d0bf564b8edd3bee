/**
 * Brings stored events to the endpoints of customers, at least once (guides/design/events.md, "Delivery"). Theory of
 * operation:
 *
 * - The rows are the queue. The worker looks when a delivery is inserted (LISTEN), when one of its attempts ends and
 *   when the next one falls due; each time it claims what is due and has room, and starts one attempt for each.
 * - A claim is a lease in the row, with the node's name. It outlasts the longest attempt, so nobody else takes a delivery
 *   that is under way. What a killed process had claimed is freed when its node starts again or is found dead, and falls
 *   due again when the lease ends in any case. The receiver may then see the same `webhook-id` again.
 * - An endpoint has at most `perEndpoint` deliveries claimed, and a workspace holds a place of `inAll` only while it holds
 *   fewer than are free: however slow its endpoints are and however much waits for them, others find room.
 * - An endpoint that did not answer several times in a row is left alone for a while, and then tried with one delivery.
 *   What is due meanwhile waits and loses no attempt.
 * - An endpoint gets the events of one call in their order, each when the one before it was delivered or has died.
 *   Other calls are not held up by it.
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
  /** The name of this gateway among those that share the database. */
  node: string;
  /** Attempts under way at once, to one endpoint and by this process in all. */
  perEndpoint: number;
  inAll: number;
  /** When an endpoint is left alone. */
  breakers: BreakerNumbers;
  /** How long `close` waits for attempts under way before it breaks them off. */
  closeMs: number;
};

export type DeliveryWorker = {
  /**
   * Frees what a dead process of this node had claimed, listens, and begins with what is due. Rejects when the database
   * cannot be reached.
   */
  start(): Promise<void>;
  /** Claims nothing more, lets attempts under way end, and gives back those that `closeMs` is too short for. */
  close(): Promise<void>;
};

/** The time of a claim beyond the time limit of its attempt: for reading the secret and for storing the outcome. */
const leaseMarginMs = 30_000;

/** The longest sleep of the worker, should a notification be lost. */
const longestSleepMs = 60_000;

/** The wait when the database does not answer. */
const databaseRetryMs = 1_000;

/** Endpoints that do not answer, with how many deliveries each may have, and when the first may have one again. */
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

  /** Starts what is due and has room; returns when there can be more, in milliseconds since the epoch. */
  const claimDue = async (): Promise<number> => {
    const now = clock.now();
    const free = inAll - attempts.count();
    // Without a place, the attempt that ends next looks again.
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
    // What a look finds that was under way when the worker closed is the next one's.
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
