/** What a workspace sees of its deliveries, and the replay by hand. */
import type { EventType } from '#src/domain/event-types.ts';
import type { Database } from './database.ts';
import type { AttemptRecord } from './deliveries.ts';
import { deliveriesChannel } from './outbox.ts';

export type DeliveryState = 'pending' | 'delivered' | 'dead';

export type DeliveryRecord = {
  id: string;
  endpointId: string;
  eventId: string;
  type: EventType;
  callId: string;
  state: DeliveryState;
  /** Null for a delivery that is finished. */
  nextAttemptAt: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
  /** In order. */
  attempts: AttemptRecord[];
};

type Row = Omit<DeliveryRecord, 'attempts'> & { attempts: (Omit<AttemptRecord, 'at'> & { at: string })[] };

const select = `
  select delivery.id, delivery.endpoint_id as "endpointId", event.id as "eventId", event.type,
    event.call_id as "callId", delivery.state,
    case when delivery.state = 'pending' then delivery.next_attempt_at end as "nextAttemptAt",
    delivery.created_at as "createdAt", delivery.finished_at as "finishedAt",
    coalesce((
      select jsonb_agg(jsonb_build_object('attempt', attempt, 'at', at, 'durationMs', duration_ms,
        'httpStatus', http_status, 'error', error) order by attempt)
      from delivery_attempt where delivery_id = delivery.id), '[]') as attempts
  from event_delivery as delivery
  join event on event.id = delivery.event_id
  join webhook_endpoint as endpoint on endpoint.id = delivery.endpoint_id`;

const present = (row: Row): DeliveryRecord => ({
  ...row,
  attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
});

/** Newest first, by `createdAt`, then by id. */
export const listDeliveries = async (
  db: Database,
  query: {
    endpointId: string;
    limit: number;
    state?: DeliveryState | undefined;
    /** The last delivery of the page before. */
    after?: { createdAt: Date; id: string } | undefined;
  },
): Promise<DeliveryRecord[]> => {
  const parameters: unknown[] = [query.endpointId, query.limit];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = ['delivery.endpoint_id = $1'];
  if (query.state !== undefined) conditions.push(`delivery.state = ${add(query.state)}`);
  if (query.after !== undefined) {
    const { createdAt, id } = query.after;
    conditions.push(
      `(delivery.created_at, delivery.id) < (${add(createdAt)}::timestamptz, ${add(id)}::uuid)`,
    );
  }
  const rows = await db.execute<Row>(
    `${select} where ${conditions.join(' and ')} order by delivery.created_at desc, delivery.id desc limit $2`,
    parameters,
  );
  return rows.map(present);
};

/**
 * Makes a delivery due at once and begins its schedule anew; its attempts so far stay, new ones follow them. One that is
 * under way is left to its attempt. Resolves to undefined when the workspace has no such delivery.
 */
export const replayDelivery = async (
  db: Database,
  { deliveryId, workspaceId, now }: { deliveryId: string; workspaceId: string; now: Date },
): Promise<DeliveryRecord | undefined> => {
  await db.execute(
    `update event_delivery as delivery
     set state = 'pending', next_attempt_at = least($3::timestamptz, now()), finished_at = null, attempts_before = attempts
     from webhook_endpoint as endpoint
     where delivery.id = $1 and endpoint.id = delivery.endpoint_id and endpoint.workspace_id = $2
       and (delivery.state <> 'pending' or delivery.claimed_until is null or delivery.claimed_until <= $3)
     returning pg_notify('${deliveriesChannel}', '')`,
    [deliveryId, workspaceId, now],
  );
  const [row] = await db.execute<Row>(`${select} where delivery.id = $1 and endpoint.workspace_id = $2`, [
    deliveryId,
    workspaceId,
  ]);
  return row && present(row);
};
