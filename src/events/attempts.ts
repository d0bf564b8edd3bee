/** Delivery attempts in progress in this process. */
import type { ClaimedDelivery } from '#src/persistence/deliveries.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import { attemptDelivery, type AttemptOptions } from './attempt-delivery.ts';

export type Attempts = {
  begin(delivery: ClaimedDelivery): void;
  count(): number;
  /** Number of attempts in progress by workspace. */
  byWorkspace(): Map<string, number>;
  /** Waits for attempts in progress, and cancels those that take longer than `closeMs`. */
  close(): Promise<void>;
};

export const createAttempts = (
  options: AttemptOptions & {
    /** How long `close` waits before it cancels attempts. */
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
      // The delivery is retried when its lease ends.
      logger.error({ err, delivery_id: delivery.id }, 'the outcome of a delivery was not stored');
    }
    underWay.delete(delivery.id);
    onEnd();
  };

  return {
    begin(delivery) {
      const { id: endpointId, workspaceId } = delivery.endpoint;
      // An endpoint in cool-down is tried with this delivery.
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
