/**
 * Claims deliveries; `deliveries.ts` documents the guarantees. `database/sql-text.ts` describes how to explain this
 * statement in psql.
 *
 * An endpoint receives the events of one call in order: a delivery is not claimed while an earlier one of the same call
 * is pending. A delivery that is due too early is deferred, so that a backlog behind a failing endpoint is not examined
 * repeatedly. A deferred delivery becomes due when its predecessor ends.
 *
 * Deliveries of the workspace with the fewest slots come first, counting the slots of this claim. A workspace gets
 * another slot only while it holds fewer slots than are free (src/outgoing/permits.ts).
 */
import { sqlText } from '../database/sql-text.ts';
import type { Row } from '../database/tables.ts';
import type { EventSnapshot } from './outbox.ts';

type Claim = {
  now: Date;
  until: Date;
  node: string;
  /** Number of free slots of the node. */
  free: number;
  perEndpoint: number;
  /** Workspaces, and the number of slots that each holds. */
  holders: readonly string[];
  holderSlots: readonly number[];
  /** Endpoints with a lower maximum, and their maxima. */
  restricted: readonly string[];
  restrictedTo: readonly number[];
  /** Maximum number of deliveries of one endpoint that are examined. */
  lookAhead: number;
  /** Time at which a delivery is examined again if its predecessor is in progress. */
  deferredUntil: Date;
};

export type ClaimedRow = Pick<Row<'EventDelivery'>, 'id'> & {
  attempt: number;
  failedInRound: number;
  eventId: string;
  snapshot: EventSnapshot;
  endpointId: string;
} & Pick<Row<'Event'>, 'type' | 'at' | 'callId'> &
  Pick<
    Row<'WebhookEndpoint'>,
    | 'workspaceId'
    | 'url'
    | 'secretSealed'
    | 'previousSecretSealed'
    | 'previousSecretUntil'
    | 'failingSince'
    | 'lastSuccessAt'
  >;

/**
 * Rows of a claim: one row for each claimed delivery, or one row without an id. Each row contains the number of
 * deferred deliveries.
 */
export const claimDueDeliveries = sqlText<Claim, { deferred: number } & (ClaimedRow | { id: null })>(
  `
    with examined as (
      select
        delivery.id, delivery.next_attempt_at, endpoint.id as endpoint_id, endpoint.workspace_id,
        share.free_slots, share.held_slots, earlier.next_attempt_at as earlier_at
      from webhook_endpoint as endpoint
      left join unnest($6::uuid[], $7::int[]) as holder (workspace_id, slots)
        on holder.workspace_id = endpoint.workspace_id
      left join unnest($8::uuid[], $9::int[]) as restricted (endpoint_id, slots)
        on restricted.endpoint_id = endpoint.id
      -- Free slots of the endpoint and slots of its workspace.
      cross join lateral (
        select
          least($5::int, restricted.slots) - count(*) as free_slots,
          coalesce(holder.slots, 0) as held_slots
        from event_delivery as claimed
        where claimed.endpoint_id = endpoint.id and claimed.state = 'pending' and claimed.claimed_until > $1
      ) as share
      -- The longest-due deliveries, if there is a free slot; other nodes skip the locked rows.
      cross join lateral (
        select id, call_id, position, next_attempt_at
        from event_delivery
        where endpoint_id = endpoint.id
          and state = 'pending'
          and next_attempt_at <= $1
          and (claimed_until is null or claimed_until <= $1)
        order by next_attempt_at
        limit case when share.free_slots > 0 and share.held_slots < $4::int then $10::int else 0 end
        for update skip locked
      ) as delivery
      -- The first earlier delivery of the same call that is pending.
      left join lateral (
        select before.next_attempt_at
        from event_delivery as before
        where before.endpoint_id = endpoint.id
          and before.call_id = delivery.call_id
          and before.state = 'pending'
          and before.position < delivery.position
        order by before.position
        limit 1
      ) as earlier on true
      where endpoint.state = 'active'
    ),
    deferred as (
      update event_delivery as delivery
      set next_attempt_at = greatest(examined.earlier_at, $11)
      from examined
      where delivery.id = examined.id and examined.earlier_at is not null
      returning delivery.id
    ),
    in_order as (
      select *, row_number() over (partition by endpoint_id order by next_attempt_at, id) as endpoint_rank
      from examined
      where earlier_at is null
    ),
    within_share as (
      select
        id, next_attempt_at,
        held_slots + row_number() over (
          partition by workspace_id order by endpoint_rank - free_slots, next_attempt_at, id
        ) as slots_then
      from in_order
      where endpoint_rank <= free_slots
    ),
    ranked as (
      select id, slots_then, row_number() over (order by slots_then, next_attempt_at, id) as rank from within_share
    ),
    claimed as (
      update event_delivery as delivery
      set claimed_until = $2, claimed_by = $3
      from ranked, event, webhook_endpoint as endpoint
      where delivery.id = ranked.id
        -- Each claim uses one free slot.
        and ranked.slots_then + ranked.rank <= $4::int + 1
        and event.id = delivery.event_id
        and endpoint.id = delivery.endpoint_id
      returning
        ranked.rank, delivery.id, delivery.attempts + 1 as attempt, delivery.attempts - delivery.attempts_before as failed_in_round,
        event.id as event_id, event.type, event.at, event.call_id, event.snapshot,
        endpoint.id as endpoint_id, endpoint.workspace_id, endpoint.url, endpoint.secret_sealed,
        endpoint.previous_secret_sealed, endpoint.previous_secret_until, endpoint.failing_since,
        endpoint.last_success_at
    )
    select
      (select count(*) from deferred) as "deferred",
      claimed.id,
      claimed.attempt,
      claimed.failed_in_round as "failedInRound",
      claimed.event_id as "eventId",
      claimed.type,
      claimed.at,
      claimed.call_id as "callId",
      claimed.snapshot,
      claimed.endpoint_id as "endpointId",
      claimed.workspace_id as "workspaceId",
      claimed.url,
      claimed.secret_sealed as "secretSealed",
      claimed.previous_secret_sealed as "previousSecretSealed",
      claimed.previous_secret_until as "previousSecretUntil",
      claimed.failing_since as "failingSince",
      claimed.last_success_at as "lastSuccessAt"
    from (select 1) as always_one_row
    left join claimed on true
    order by claimed.rank
  `,
  [
    'now',
    'until',
    'node',
    'free',
    'perEndpoint',
    'holders',
    'holderSlots',
    'restricted',
    'restrictedTo',
    'lookAhead',
    'deferredUntil',
  ],
);
