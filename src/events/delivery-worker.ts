/**
 * Delivers stored events to customers' endpoints at least once (guides/design/events.md, "Delivery"). Theory of
 * operation:
 *
 * - The rows are the queue. The worker looks when a delivery is inserted (LISTEN), when an attempt ends and when the
 *   next one is due. The worker claims due deliveries within its limits and starts one attempt each.
 * - A claim is a lease in the row with the node's name. A claim lasts longer than any attempt, so no other gateway
 *   takes a delivery in progress. Claims of a killed process are released when its node restarts or is found dead, and
 *   expire with the lease in any case. The receiver may then get the same `webhook-id` again.
 * - Gateways claim one after another, under a lock.
 * - An endpoint has at most `perEndpoint` claimed deliveries, and a workspace holds a place of `inAll` only while it
 *   holds fewer than are free, so slow endpoints leave room for others.
 * - An endpoint that did not answer several times in a row cools down and is then tried with one delivery. Waiting
 *   deliveries lose no attempt. The cool-down ends early at every gateway when the endpoint is resumed or gets
 *   a new URL, which the same notification announces.
 * - An endpoint receives the events of one call in order: each after the previous one was delivered or died. Other
 *   calls are independent.
 * - Deliveries of a paused or disabled endpoint are not claimed; they wait until it is active again.
 */
import {
  type BreakerNumbers,
  type CircuitBreakers,
  createCircuitBreakers,
} from '#src/domain/circuit-breakers.ts';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  nextDeliveryDueAt,
  releaseDeliveriesOf,
  releaseDelivery,
} from '#src/persistence/events/deliveries.ts';
import { deliveriesChannel } from '#src/persistence/events/outbox.ts';
import { endpointsRestarted } from '#src/persistence/events/webhook-endpoints.ts';
import { type AttemptOptions, attemptDelivery } from './attempt-delivery.ts';

/** Delivery attempts in progress in this process. */
type Attempts = {
  begin(delivery: ClaimedDelivery): void;
  count(): number;
  /** Returns the number of attempts in progress by workspace. */
  byWorkspace(): Map<string, number>;
  /** Waits for attempts in progress, and cancels those that take longer than `closeMs`. */
  close(): Promise<void>;
};

const createAttempts = (
  options: AttemptOptions & {
    /** Time in milliseconds that `close` waits before it cancels attempts. */
    closeMs: number;
  },
  onEnd: () => void,
): Attempts => {
  const { breakers, clock, closeMs, logger } = options;
  const underWay = new Map<string, { workspaceId: string; ended: Promise<void> }>();
  const breakOff = new AbortController();

  const attempt = async (delivery: ClaimedDelivery): Promise<void> => {
    try {
      await attemptDelivery(options, delivery, breakOff.signal);
    } catch (err) {
      // The error is only logged, because the delivery is retried when its lease ends.
      logger.error({ err, delivery_id: delivery.id }, 'the outcome of a delivery was not stored');
    }
    underWay.delete(delivery.id);
    onEnd();
  };

  return {
    begin(delivery) {
      const { id: endpointId, workspaceId } = delivery.endpoint;
      // This delivery tests an endpoint in cool-down.
      breakers.of(endpointId).mayTry();
      underWay.set(delivery.id, { workspaceId, ended: attempt(delivery) });
    },
    count: () => underWay.size,
    byWorkspace() {
      const counts = new Map<string, number>();
      for (const { workspaceId } of underWay.values())
        counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
      return counts;
    },
    async close() {
      const allEnded = Promise.all([...underWay.values()].map(({ ended }) => ended));
      if (!(await doneWithin(clock, closeMs, allEnded))) breakOff.abort();
      await allEnded;
    },
  };
};

export type DeliveryWorkerOptions = Omit<AttemptOptions, 'breakers' | 'coolDownFailures'> & {
  /** Name of this gateway among those that share the database. */
  node: string;
  /** Maximum number of concurrent attempts, per endpoint and for this process. */
  perEndpoint: number;
  inAll: number;
  /** Conditions under which an endpoint cools down. */
  breakers: BreakerNumbers;
  /** Time in milliseconds that `close` waits for attempts before it cancels them. */
  closeMs: number;
};

export type DeliveryWorker = {
  /**
   * Releases claims of a dead process of this node, listens for notifications, and starts due deliveries. Rejects when
   * the database is unreachable.
   */
  start(): Promise<void>;
  /**
   * Stops claiming, waits for attempts in progress, and releases deliveries whose attempt takes longer than `closeMs`.
   */
  close(): Promise<void>;
};

/** Time by which a lease is longer than the attempt's time limit, for reading the secret and storing the outcome. */
const leaseMarginMs = 30_000;

/** Maximum interval between two polls, in case a notification is lost. */
const longestSleepMs = 60_000;

/** Delay after a failed query. */
const databaseRetryMs = 1_000;

/** Endpoints in cool-down, with the number of allowed deliveries and the time of the next one. */
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
  const coolDownFailures = new Map<string, Date>();
  const attempts = createAttempts({ ...options, breakers, coolDownFailures }, () => look());
  let unlisten: (() => Promise<void>) | undefined;
  let timer: unknown;
  let isClosing = false;

  /** Ends the cool-down of endpoints that were resumed or have a new URL. */
  const endCoolDowns = async (): Promise<void> => {
    const cooling = breakers.notClosed();
    for (const endpointId of coolDownFailures.keys())
      if (!cooling.has(endpointId)) coolDownFailures.delete(endpointId);
    if (coolDownFailures.size === 0) return;
    for (const endpointId of await endpointsRestarted(db, coolDownFailures)) {
      // A trial may have failed meanwhile, and its failure is not stored yet.
      if (!coolDownFailures.delete(endpointId)) continue;
      breakers.of(endpointId).worked();
      logger.info({ endpoint_id: endpointId }, 'the cool-down of an endpoint ended early');
    }
  };

  /** Starts due deliveries within the limits. Returns when to poll again, in milliseconds since the epoch. */
  const claimDue = async (): Promise<number> => {
    const now = clock.now();
    const free = inAll - attempts.count();
    // If no place is free, the end of the next attempt triggers a poll.
    if (free <= 0) return now + longestSleepMs;
    await endCoolDowns();
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
    // Deliveries found by a poll during close are released for the next process.
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
      logger.warn({ err }, 'reading deliveries failed; a retry follows');
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
      if (released > 0) logger.info({ deliveries: released }, 'released the deliveries of a dead process');
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
