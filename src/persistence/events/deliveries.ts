/**
 * Event deliveries: rows that form a queue. A node claims a delivery for a limited time (`claimedUntil`). Claims of a
 * dead process are released once its death is known, and expire in any case.
 */
import { sql } from 'kysely';
import { claimDueDeliveries, type ClaimedRow } from './claim-deliveries.ts';
import { transactionLock } from '../database/advisory-locks.ts';
import type { Database } from '../database/database.ts';
import { notified } from '../database/notifications.ts';
import { deliveriesChannel, type EventSnapshot } from './outbox.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries, Row } from '../database/tables.ts';

export type ClaimedDelivery = {
  id: string;
  /** Number of the next attempt, counted from 1 over all rounds of the delivery. */
  attempt: number;
  /**
   * Number of failed attempts since the delivery was created or last replayed, which is its position in the retry
   * schedule.
   */
  failedInRound: number;
  event: Pick<Row<'Event'>, 'id' | 'type' | 'at' | 'callId'> & { snapshot: EventSnapshot };
  endpoint: Pick<
    Row<'WebhookEndpoint'>,
    | 'id'
    | 'workspaceId'
    | 'url'
    | 'secretSealed'
    | 'previousSecretSealed'
    | 'previousSecretUntil'
    | 'failingSince'
    | 'lastSuccessAt'
  >;
};

export type DeliveryClaim = {
  node: string;
  now: Date;
  until: Date;
  /** Number of free slots of this process. */
  free: number;
  /** Number of slots that each workspace holds in this process. */
  held: ReadonlyMap<string, number>;
  /** Maximum number of concurrent claims of an endpoint over all nodes. */
  perEndpoint: number;
  /** Lower maxima of certain endpoints. */
  restrained: ReadonlyMap<string, number>;
};

const nested = ({ id, attempt, failedInRound, ...row }: ClaimedRow): ClaimedDelivery => {
  const { eventId, type, at, callId, snapshot } = row;
  const { endpointId, workspaceId, url, failingSince, lastSuccessAt } = row;
  const { secretSealed, previousSecretSealed, previousSecretUntil } = row;
  return {
    id,
    attempt,
    failedInRound,
    event: { id: eventId, type, at, callId, snapshot },
    endpoint: {
      id: endpointId,
      workspaceId,
      url,
      secretSealed,
      previousSecretSealed,
      previousSecretUntil,
      failingSince,
      lastSuccessAt,
    },
  };
};

/** Number of deliveries of an endpoint that one claim examines beyond its free slots. */
const lookAhead = 50;

/** Delay after which a delivery is examined again if its predecessor is due or in progress. */
const deferralMs = 1_000;

/** Time after which the server ends the claim of a silent gateway, so that the others no longer wait for it. */
const silenceMs = 10_000;

const beginClaim = kyselyQuery((queries) =>
  queries.selectNoFrom([
    transactionLock('trunkline delivery claims').as('locked'),
    sql<string>`set_config('idle_in_transaction_session_timeout', ${sql.lit(String(silenceMs))}, true)`.as(
      'limited',
    ),
  ]),
);

/**
 * Claims deliveries of active endpoints that are due at `now`, until `until`. Scheduling is fair: the workspace with
 * the fewest slots comes first, then its endpoint with the most free slots, then the longest-due deliveries. A
 * workspace gets no slot while it holds as many as are free. An endpoint never exceeds its share, earlier claims
 * included, and never has two deliveries of one call. Gateways claim one after another, because each counts the claims
 * of all.
 */
export const claimDeliveries = async (
  db: Pick<Database, 'transaction'>,
  { held, restrained, ...claim }: DeliveryClaim,
): Promise<ClaimedDelivery[]> => {
  const rows = await db.transaction(async (statements) => {
    await beginClaim(statements, {});
    // A statement after the lock, so that its snapshot contains the claims of earlier holders.
    return claimDueDeliveries(statements, {
      ...claim,
      lookAhead,
      deferredUntil: new Date(claim.now.getTime() + deferralMs),
      holders: [...held.keys()],
      holderSlots: [...held.values()],
      restricted: [...restrained.keys()],
      restrictedTo: [...restrained.values()],
    });
  });
  const claimed = rows.filter((row) => row.id !== null);
  // Claims again if only deferred deliveries were found, because more due deliveries may follow them.
  if (claimed.length === 0 && (rows[0]?.deferred ?? 0) > 0) {
    return claimDeliveries(db, { ...claim, held, restrained });
  }
  return claimed.map(nested);
};

const firstAfter = (queries: Queries, column: 'nextAttemptAt' | 'claimedUntil', now: Date) =>
  queries
    .withoutPlugins()
    .selectFrom('WebhookEndpoint as endpoint')
    .crossJoinLateral((lateral) =>
      lateral
        .selectFrom('EventDelivery')
        .select(`EventDelivery.${column} as at`)
        .whereRef('EventDelivery.endpointId', '=', 'endpoint.id')
        .where('EventDelivery.state', '=', sql.lit('pending'))
        .where(`EventDelivery.${column}`, '>', now)
        .orderBy(`EventDelivery.${column}`)
        .limit(1)
        .as('first'),
    )
    .select(({ fn }) => fn.min('first.at').as('at'))
    .where('endpoint.state', '=', 'active');

const nextDue = kyselyQuery((queries, { now }: { now: Date }) =>
  queries.selectNoFrom(({ fn }) =>
    fn<Date | null>('least', [
      firstAfter(queries, 'nextAttemptAt', now),
      firstAfter(queries, 'claimedUntil', now),
    ]).as('dueAt'),
  ),
);

/**
 * Returns the first instant after `now` at which a delivery of an active endpoint falls due or a claim expires. Due
 * deliveries that were not claimed do not count, because they wait for a free slot.
 */
export const nextDeliveryDueAt = async (db: Statements, now: Date): Promise<Date | undefined> =>
  (await nextDue(db, { now }))[0]?.dueAt ?? undefined;

const releasing = kyselyQuery((queries, { deliveryId }: { deliveryId: string }) =>
  queries
    .updateTable('EventDelivery')
    .set({ claimedUntil: null, claimedBy: null })
    .where('id', '=', deliveryId)
    .where('state', '=', sql.lit('pending')),
);

/** Releases a claimed delivery without an attempt. The delivery is due immediately. */
export const releaseDelivery = async (db: Statements, deliveryId: string): Promise<void> => {
  await releasing(db, { deliveryId });
};

const releasingAllOf = kyselyQuery((queries, { node }: { node: string }) =>
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
      eb.case().when(ref('count'), '>', 0).then(notified(deliveriesChannel)).end().as('notified'),
    ]),
);

/**
 * Releases the claims of a dead process. The deliveries are due immediately at every node. A receiver may have received
 * such a delivery before; it then receives the same `webhook-id` again. Resolves to the number of deliveries.
 */
export const releaseDeliveriesOf = async (db: Statements, node: string): Promise<number> =>
  (await releasingAllOf(db, { node }))[0]?.count ?? 0;
