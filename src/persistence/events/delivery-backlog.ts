import { sql } from 'kysely';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

export type DeliveryBacklog = {
  /** Number of events that wait for delivery to active endpoints. */
  pending: number;
  /** Number of events that wait because their endpoint is paused or disabled. */
  held: number;
  /** Number of failed events, which can be replayed manually. */
  dead: number;
  /** Creation time of the oldest pending delivery; null if no delivery is pending. */
  oldestPendingAt: Date | null;
};

const counting = kyselyQuery((queries) =>
  queries
    .selectFrom('EventDelivery as delivery')
    .innerJoin('WebhookEndpoint as endpoint', 'endpoint.id', 'delivery.endpointId')
    .select(({ fn }) => [
      fn
        .countAll<number>()
        .filterWhere('delivery.state', '=', sql.lit('pending'))
        .filterWhere('endpoint.state', '=', 'active')
        .as('pending'),
      fn
        .countAll<number>()
        .filterWhere('delivery.state', '=', sql.lit('pending'))
        .filterWhere('endpoint.state', '<>', 'active')
        .as('held'),
      fn.countAll<number>().filterWhere('delivery.state', '=', sql.lit('dead')).as('dead'),
      fn
        .min<Date | null>('delivery.createdAt')
        .filterWhere('delivery.state', '=', sql.lit('pending'))
        .filterWhere('endpoint.state', '=', 'active')
        .as('oldestPendingAt'),
    ])
    .where('delivery.state', 'in', [sql.lit<'pending'>('pending'), sql.lit<'dead'>('dead')]),
);

/** Counts undelivered events of all workspaces. */
export const deliveryBacklog = async (db: Statements): Promise<DeliveryBacklog> =>
  (await counting(db, {}))[0] ?? { pending: 0, held: 0, dead: 0, oldestPendingAt: null };
