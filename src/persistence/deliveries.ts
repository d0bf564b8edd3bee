/**
 * Deliveries of events, as rows that are a queue. A delivery is claimed by a node and for a time (`claimedUntil`): what
 * a dead process had claimed is freed as soon as its death is known, and falls due again by itself in any case.
 */
import { claiming, type ClaimedRow } from './delivery-claiming.ts';
import { notified } from './notifications.ts';
import { deliveriesChannel, type EventSnapshot } from './outbox.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Queries, Row } from './tables.ts';

export type ClaimedDelivery = {
  id: string;
  /** The number of the attempt to make now, from 1 over the delivery's whole life. */
  attempt: number;
  /** Attempts that failed since the delivery was made or last replayed: where the retry schedule stands. */
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
  >;
};

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

const nested = ({ id, attempt, failedInRound, ...row }: ClaimedRow): ClaimedDelivery => {
  const { eventId, type, at, callId, snapshot } = row;
  const { endpointId, workspaceId, url, failingSince } = row;
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
    },
  };
};

/** So many deliveries of an endpoint are looked at in one go, beyond those that it has room for. */
const lookAhead = 50;

/** When one is looked at again that waits for a predecessor which is itself due or under way. */
const putOffMs = 1_000;

/**
 * Claims deliveries of active endpoints that are due at `now`, until `until`: in turns those of the workspace that
 * holds the fewest places, of them those of the endpoint with the most room, and then those that have been due longest. A workspace never gets a place while it holds as many as are free; an endpoint never has more than its
 * share, those claimed before included, and never two of one call.
 */
export const claimDeliveries = async (
  db: Statements,
  { held, restrained, ...claim }: DeliveryClaim,
): Promise<ClaimedDelivery[]> => {
  const rows = await claiming(db, {
    ...claim,
    lookAhead,
    putOffUntil: new Date(claim.now.getTime() + putOffMs),
    holders: [...held.keys()],
    holderPlaces: [...held.values()],
    restrained: [...restrained.keys()],
    restrainedTo: [...restrained.values()],
  });
  const claimed = rows.filter((row) => row.id !== null);
  // Behind those that had to be put off there may be others.
  if (claimed.length === 0 && (rows[0]?.putOff ?? 0) > 0) {
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
        .where('EventDelivery.state', '=', 'pending')
        .where(`EventDelivery.${column}`, '>', now)
        .orderBy(`EventDelivery.${column}`)
        .limit(1)
        .as('first'),
    )
    .select(({ fn }) => fn.min('first.at').as('at'))
    .where('endpoint.state', '=', 'active');

const nextDue = prepared((queries, { now }: { now: Date }) =>
  queries.selectNoFrom(({ fn }) =>
    fn<Date | null>('least', [
      firstAfter(queries, 'nextAttemptAt', now),
      firstAfter(queries, 'claimedUntil', now),
    ]).as('dueAt'),
  ),
);

/**
 * The first instant after `now` at which a delivery of an active endpoint falls due or a lease ends. What is due
 * already and was not claimed waits for room, not for time, and does not count.
 */
export const nextDeliveryDueAt = async (db: Statements, now: Date): Promise<Date | undefined> =>
  (await nextDue(db, { now }))[0]?.dueAt ?? undefined;

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
      eb.case().when(ref('count'), '>', 0).then(notified(deliveriesChannel)).end().as('notified'),
    ]),
);

/**
 * Frees what a process that is dead had claimed, due again at once, here and at every other node. Their receivers may
 * have got it: they see the same `webhook-id` again. Resolves to how many there were.
 */
export const releaseDeliveriesOf = async (db: Statements, node: string): Promise<number> =>
  (await releasingAllOf(db, { node }))[0]?.count ?? 0;
