/**
 * Deliveries of events, as rows that are a queue. A delivery is claimed by a node and for a time (`claimed_until`): what
 * a dead process had claimed is freed as soon as its death is known, and falls due again by itself in any case.
 *
 * An endpoint gets the events of one call in their order: a delivery is not claimed while an earlier one of the same
 * call is pending. One that is found due too early is put off, so that it is not looked at again and again while a
 * whole backlog waits behind a failing endpoint; when its predecessor ends, it is due at once.
 */
import { sql } from 'kysely';
import type { EventType } from '#src/domain/event-types.ts';
import { deliveriesChannel, type EventSnapshot } from './outbox.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';

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
export const claimDeliveries = async (db: Statements, claim: DeliveryClaim): Promise<ClaimedDelivery[]> => {
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
export const nextDeliveryDueAt = async (db: Statements, now: Date): Promise<Date | undefined> => {
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

const releasing = prepared((queries, { deliveryId }: { deliveryId: string }) =>
  queries
    .updateTable('EventDelivery')
    .set({ claimedUntil: null, claimedBy: null })
    .where('id', '=', deliveryId)
    .where('state', '=', 'pending'),
);

/** Gives a claimed delivery back without an attempt, due again at once. */
export const releaseDelivery = async (db: Statements, deliveryId: string): Promise<void> => {
  await releasing(db, { deliveryId });
};

const releasingAllOf = prepared((queries, { node }: { node: string }) =>
  queries
    .with('released', (write) =>
      write
        .updateTable('EventDelivery')
        .set({ claimedUntil: null, claimedBy: null })
        .where('claimedBy', '=', node)
        .returning('id'),
    )
    .with('counted', (read) =>
      read.selectFrom('released').select(({ fn }) => fn.countAll<number>().as('count')),
    )
    .selectFrom('counted')
    .select(({ eb, ref }) => [
      'count',
      eb
        .case()
        .when(ref('count'), '>', 0)
        .then(sql`pg_notify(${sql.lit(deliveriesChannel)}, '')`)
        .end()
        .as('notified'),
    ]),
);

/**
 * Frees what a process that is dead had claimed, due again at once, here and at every other node. Their receivers may
 * have got it: they see the same `webhook-id` again. Resolves to how many there were.
 */
export const releaseDeliveriesOf = async (db: Statements, node: string): Promise<number> =>
  (await releasingAllOf(db, { node }))[0]?.count ?? 0;
