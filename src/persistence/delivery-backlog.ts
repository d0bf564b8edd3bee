import type { Database } from './database.ts';

export type DeliveryBacklog = {
  /** Not delivered yet, to endpoints that take deliveries. */
  pending: number;
  /** Held back while their endpoint is paused or disabled. */
  held: number;
  /** Given up; they can be replayed by hand. */
  dead: number;
  /** When the oldest of the pending ones was made; null where there is none. */
  oldestPendingAt: Date | null;
};

/** How many events wait for their delivery, over all workspaces. */
export const deliveryBacklog = async (db: Database): Promise<DeliveryBacklog> => {
  const [row] = await db.execute<DeliveryBacklog>(
    `select
       count(*) filter (where delivery.state = 'pending' and endpoint.state = 'active') as pending,
       count(*) filter (where delivery.state = 'pending' and endpoint.state <> 'active') as held,
       count(*) filter (where delivery.state = 'dead') as dead,
       min(delivery.created_at) filter (where delivery.state = 'pending' and endpoint.state = 'active')
         as "oldestPendingAt"
     from event_delivery as delivery join webhook_endpoint as endpoint on endpoint.id = delivery.endpoint_id
     where delivery.state in ('pending', 'dead')`,
  );
  return row ?? { pending: 0, held: 0, dead: 0, oldestPendingAt: null };
};
