/**
 * Deliveries of events, as rows that are a queue. A delivery is claimed by a node and for a time (`claimed_until`): what
 * a dead process had claimed is freed as soon as its death is known, and falls due again by itself in any case.
 *
 * An endpoint gets the events of one call in their order: a delivery is not claimed while an earlier one of the same
 * call is pending. One that is found due too early is put off, so that it is not looked at again and again while a
 * whole backlog waits behind a failing endpoint; when its predecessor ends, it is due at once.
 */
import type { EventType } from '#src/domain/event-types.ts';
import type { Database } from './database.ts';
import { deliveriesChannel, type EventSnapshot } from './outbox.ts';

export type ClaimedDelivery = {
  id: string;
  /** The number of the attempt to make now, from 1 over the delivery's whole life. */
  attempt: number;
  /** Attempts that failed since the delivery was made or last replayed: where the retry schedule stands. */
  failedInRound: number;
  event: { id: string; type: EventType; at: Date; callId: string; snapshot: EventSnapshot };
  endpoint: {
    id: string;
    workspaceId: string;
    url: string;
    secretSealed: string;
    previousSecretSealed: string | null;
    previousSecretUntil: Date | null;
  };
};

type ClaimedRow = Pick<ClaimedDelivery, 'id' | 'attempt' | 'failedInRound'> & {
  eventId: string;
  type: EventType;
  at: Date;
  callId: string;
  snapshot: EventSnapshot;
} & Omit<ClaimedDelivery['endpoint'], 'id'> & { endpointId: string };

/** So many deliveries of an endpoint are looked at in one go, beyond those that it has room for. */
const lookAhead = 50;

/** When one is looked at again that waits for a predecessor which is itself due or under way. */
const putOffMs = 1_000;

/**
 * $1 now, $2 the end of the lease, $3 the free places, $4 the share of an endpoint, $5 how many of an endpoint are looked at,
 * $6 when one is looked at again whose predecessor is under way, $7 the node, $8 and $9 workspaces
 * and the places that they hold, $10 and $11 endpoints that may have fewer than their share, and how many.
 *
 * Those are taken first whose workspace holds the fewest places, counting those that it is given here; and a workspace
 * is given one only while it holds fewer than are free (src/outgoing/permits.ts).
 */
const claiming = `
  with looked_at as (
    select delivery.*, endpoint.id as endpoint_id, endpoint.workspace_id, share.room, share.held,
      earlier.next_attempt_at as earlier_at
    from webhook_endpoint as endpoint
    left join unnest($8::uuid[], $9::int[]) as holder (workspace_id, held)
      on holder.workspace_id = endpoint.workspace_id
    left join unnest($10::uuid[], $11::int[]) as restrained (endpoint_id, most)
      on restrained.endpoint_id = endpoint.id
    cross join lateral (
      select least($4, restrained.most) - count(*) as room, coalesce(holder.held, 0) as held
      from event_delivery as claimed
      where claimed.endpoint_id = endpoint.id and claimed.state = 'pending' and claimed.claimed_until > $1
    ) as share
    cross join lateral (
      select id, call_id, position, next_attempt_at from event_delivery
      where endpoint_id = endpoint.id and state = 'pending' and next_attempt_at <= $1
        and (claimed_until is null or claimed_until <= $1)
      order by next_attempt_at
      limit case when share.room > 0 and share.held < $3 then $5 else 0 end
      for update skip locked
    ) as delivery
    left join lateral (
      select next_attempt_at from event_delivery as before
      where before.endpoint_id = endpoint.id and before.call_id = delivery.call_id and before.state = 'pending'
        and before.position < delivery.position
      order by position limit 1
    ) as earlier on true
    where endpoint.state = 'active'
  ), put_off as (
    update event_delivery as delivery set next_attempt_at = greatest(looked_at.earlier_at, $6)
    from looked_at where delivery.id = looked_at.id and looked_at.earlier_at is not null
    returning 1
  ), free as (
    select *, row_number() over (partition by endpoint_id order by next_attempt_at) as place
    from looked_at where earlier_at is null
  ), in_workspace as (
    select id, next_attempt_at,
      held + row_number() over (partition by workspace_id order by place - room, next_attempt_at) as would_hold
    from free where place <= room
  ), in_turn as (
    select id, would_hold, row_number() over (order by would_hold, next_attempt_at) as turn from in_workspace
  ), due as (
    select id from in_turn where would_hold - 1 < $3 - (turn - 1)
  ), claimed as (
    update event_delivery as delivery set claimed_until = $2, claimed_by = $7
    from due, event, webhook_endpoint as endpoint
    where delivery.id = due.id and event.id = delivery.event_id and endpoint.id = delivery.endpoint_id
    returning delivery.id, delivery.attempts + 1 as attempt,
      delivery.attempts - delivery.attempts_before as "failedInRound",
      event.id as "eventId", event.type, event.at, event.call_id as "callId", event.snapshot,
      endpoint.id as "endpointId", endpoint.workspace_id as "workspaceId", endpoint.url, endpoint.secret_sealed as "secretSealed",
      endpoint.previous_secret_sealed as "previousSecretSealed",
      endpoint.previous_secret_until as "previousSecretUntil"
  )
  select (select count(*) from put_off) as "putOff", claimed.* from (select) as one left join claimed on true`;

export type DeliveryClaim = {
  node: string;
  now: Date;
  until: Date;
  /** Places of this process that are free. */
  free: number;
  /** Places of this process that each workspace holds. */
  held: ReadonlyMap<string, number>;
  /** Claims that an endpoint may have at once, over all nodes. */
  perEndpoint: number;
  /** The same, for endpoints that may have fewer. */
  restrained: ReadonlyMap<string, number>;
};

/**
 * Claims deliveries of active endpoints that are due at `now`, until `until`: in turns those of the workspace that
 * holds the fewest places, of them those of the endpoint with the most room, and then those that have been due longest. A workspace never gets a place while it holds as many as are free; an endpoint never has more than its
 * share, those claimed before included, and never two of one call.
 */
export const claimDeliveries = async (db: Database, claim: DeliveryClaim): Promise<ClaimedDelivery[]> => {
  const rows = await db.execute<(ClaimedRow | { id: null }) & { putOff: number }>(claiming, [
    claim.now,
    claim.until,
    claim.free,
    claim.perEndpoint,
    lookAhead,
    new Date(claim.now.getTime() + putOffMs),
    claim.node,
    [...claim.held.keys()],
    [...claim.held.values()],
    [...claim.restrained.keys()],
    [...claim.restrained.values()],
  ]);
  const claimed = rows.filter((row) => row.id !== null);
  // Behind those that had to be put off there may be others.
  if (claimed.length === 0 && (rows[0]?.putOff ?? 0) > 0) return claimDeliveries(db, claim);
  return claimed.map((row) => ({
    id: row.id,
    attempt: row.attempt,
    failedInRound: row.failedInRound,
    event: { id: row.eventId, type: row.type, at: row.at, callId: row.callId, snapshot: row.snapshot },
    endpoint: {
      id: row.endpointId,
      workspaceId: row.workspaceId,
      url: row.url,
      secretSealed: row.secretSealed,
      previousSecretSealed: row.previousSecretSealed,
      previousSecretUntil: row.previousSecretUntil,
    },
  }));
};

/**
 * The first instant after `now` at which a delivery of an active endpoint falls due or a lease ends. What is due
 * already and was not claimed waits for room, not for time, and does not count.
 */
export const nextDeliveryDueAt = async (db: Database, now: Date): Promise<Date | undefined> => {
  const first = (column: string): string => `(
    select min(delivery.${column}) from webhook_endpoint as endpoint cross join lateral (
      select ${column} from event_delivery
      where endpoint_id = endpoint.id and state = 'pending' and ${column} > $1
      order by ${column} limit 1
    ) as delivery
    where endpoint.state = 'active')`;
  const [row] = await db.execute<{ dueAt: Date | null }>(
    `select least(${first('next_attempt_at')}, ${first('claimed_until')}) as "dueAt"`,
    [now],
  );
  return row?.dueAt ?? undefined;
};

export type AttemptRecord = {
  /** From 1. */
  attempt: number;
  at: Date;
  durationMs: number;
  /** Null when no answer came. */
  httpStatus: number | null;
  /** Null when the attempt succeeded. */
  error: string | null;
};

/**
 * Stores an attempt and what becomes of the delivery after it; the claim ends. Resolves to false, and changes nothing,
 * when this attempt was stored before (by whoever took the delivery over after the lease had ended).
 */
export const recordDeliveryAttempt = async (
  db: Database,
  deliveryId: string,
  attempt: AttemptRecord,
  outcome: { state: 'delivered' | 'dead' } | { state: 'pending'; nextAttemptAt: Date },
): Promise<boolean> => {
  const rows = await db.execute(
    `with attempted as (
       insert into delivery_attempt (delivery_id, attempt, at, duration_ms, http_status, error)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing
       returning delivery_id, at, duration_ms
     )
     update event_delivery as delivery
     set attempts = $2, state = $7, claimed_until = null, claimed_by = null,
       next_attempt_at = coalesce($8, next_attempt_at),
       finished_at = case when $7 = 'pending' then null
         else attempted.at + make_interval(secs => attempted.duration_ms / 1000.0) end
     from attempted where delivery.id = attempted.delivery_id
     returning 1`,
    [
      deliveryId,
      attempt.attempt,
      attempt.at,
      attempt.durationMs,
      attempt.httpStatus,
      attempt.error,
      outcome.state,
      outcome.state === 'pending' ? outcome.nextAttemptAt : null,
    ],
  );
  if (rows.length > 0 && outcome.state !== 'pending') await admitNext(db, deliveryId);
  return rows.length > 0;
};

/**
 * What the end of this delivery lets go ahead is due at once, unless it has tried before and keeps its own time. A
 * statement of its own: only that sees what was put off while the end was written.
 */
const admitNext = async (db: Database, deliveryId: string): Promise<void> => {
  await db.execute(
    `update event_delivery as delivery set next_attempt_at = least(delivery.next_attempt_at, done.finished_at, now())
     from event_delivery as done cross join lateral (
       select id from event_delivery as next
       where next.endpoint_id = done.endpoint_id and next.call_id = done.call_id and next.state = 'pending'
       order by next.position limit 1
     ) as next
     where done.id = $1 and delivery.id = next.id and delivery.attempts = delivery.attempts_before`,
    [deliveryId],
  );
};

/** Gives a claimed delivery back without an attempt, due again at once. */
export const releaseDelivery = async (db: Database, deliveryId: string): Promise<void> => {
  await db.execute(
    `update event_delivery set claimed_until = null, claimed_by = null where id = $1 and state = 'pending'`,
    [deliveryId],
  );
};

/**
 * Frees what a process that is dead had claimed, due again at once, here and at every other node. Their receivers may
 * have got it: they see the same `webhook-id` again. Resolves to how many there were.
 */
export const releaseDeliveriesOf = async (db: Database, node: string): Promise<number> => {
  const [row] = await db.execute<{ released: number }>(
    `with released as (
       update event_delivery set claimed_until = null, claimed_by = null where claimed_by = $1 returning 1
     ), counted as (
       select count(*)::int as released from released
     )
     select released, case when released > 0 then pg_notify('${deliveriesChannel}', '') end from counted`,
    [node],
  );
  return row?.released ?? 0;
};
