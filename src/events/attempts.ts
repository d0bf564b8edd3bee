/** The attempts of this process that are under way. */
import type { ClaimedDelivery } from '#src/persistence/deliveries.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import { attemptDelivery, type AttemptOptions } from './attempt-delivery.ts';

export type Attempts = {
  begin(delivery: ClaimedDelivery): void;
  count(): number;
  /** Attempts under way, by workspace. */
  byWorkspace(): Map<string, number>;
  /** Lets them end, and breaks off those that `closeMs` is too short for. */
  close(): Promise<void>;
};

export const createAttempts = (
  options: AttemptOptions & {
    /** How long `close` waits before it breaks them off. */
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
      // The lease brings the delivery back.
      logger.error({ err, delivery_id: delivery.id }, 'the outcome of a delivery was not stored');
    }
    underWay.delete(delivery.id);
    onEnd();
  };

  return {
    begin(delivery) {
      const { id: endpointId, workspaceId } = delivery.endpoint;
      // One that is left alone is tried with this delivery.
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
