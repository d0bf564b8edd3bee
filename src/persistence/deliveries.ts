/**
 * Deliveries of events, as rows that are a queue. A delivery is claimed by a lease (`claimed_until`): what a dead
 * process had claimed falls due again by itself.
 */
import type { EventType } from '#src/domain/event-types.ts';
import type { Database } from './database.ts';
import type { EventSnapshot } from './outbox.ts';

export type ClaimedDelivery = {
  id: string;
  /** The number of the attempt to make now, from 1 over the delivery's whole life. */
  attempt: number;
  /** Attempts that failed since the delivery was made or last replayed: where the retry schedule stands. */
  failedInRound: number;
  event: { id: string; type: EventType; at: Date; callId: string; snapshot: EventSnapshot };
  endpoint: {
    id: string;
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

/**
 * Claims deliveries of active endpoints that are due at `now`, those first that have been due longest, until `until`.
 * At most `limit` at once, and never more than `perEndpoint` of one endpoint, those claimed before included.
 */
export const claimDeliveries = async (
  db: Database,
  claim: { now: Date; until: Date; limit: number; perEndpoint: number },
): Promise<ClaimedDelivery[]> => {
  const rows = await db.execute<ClaimedRow>(
    `with due as (
       select delivery.id from webhook_endpoint as endpoint cross join lateral (
         select id, next_attempt_at from event_delivery
         where endpoint_id = endpoint.id and state = 'pending' and next_attempt_at <= $1
           and (claimed_until is null or claimed_until <= $1)
         order by next_attempt_at
         limit greatest(0, $4 - (
           select count(*) from event_delivery as claimed
           where claimed.endpoint_id = endpoint.id and claimed.state = 'pending' and claimed.claimed_until > $1))
         for update skip locked
       ) as delivery
       where endpoint.state = 'active'
       order by delivery.next_attempt_at
       limit $3
     )
     update event_delivery as delivery set claimed_until = $2
     from due, event, webhook_endpoint as endpoint
     where delivery.id = due.id and event.id = delivery.event_id and endpoint.id = delivery.endpoint_id
     returning delivery.id, delivery.attempts + 1 as attempt,
       delivery.attempts - delivery.attempts_before as "failedInRound",
       event.id as "eventId", event.type, event.at, event.call_id as "callId", event.snapshot,
       endpoint.id as "endpointId", endpoint.url, endpoint.secret_sealed as "secretSealed",
       endpoint.previous_secret_sealed as "previousSecretSealed",
       endpoint.previous_secret_until as "previousSecretUntil"`,
    [claim.now, claim.until, claim.limit, claim.perEndpoint],
  );
  return rows.map((row) => ({
    id: row.id,
    attempt: row.attempt,
    failedInRound: row.failedInRound,
    event: { id: row.eventId, type: row.type, at: row.at, callId: row.callId, snapshot: row.snapshot },
    endpoint: {
      id: row.endpointId,
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
     set attempts = $2, state = $7, claimed_until = null, next_attempt_at = coalesce($8, next_attempt_at),
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
  return rows.length > 0;
};

/** Gives a claimed delivery back without an attempt, due again at once. */
export const releaseDelivery = async (db: Database, deliveryId: string): Promise<void> => {
  await db.execute(`update event_delivery set claimed_until = null where id = $1 and state = 'pending'`, [
    deliveryId,
  ]);
};
