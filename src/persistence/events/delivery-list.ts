/** Deliveries of a workspace and their manual replay. */
import { expressionBuilder, sql } from 'kysely';
import type { AttemptRecord } from './delivery-attempts.ts';
import { now } from '../database/expressions.ts';
import { notified } from '../database/notifications.ts';
import { deliveriesChannel, type EventSnapshot } from './outbox.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries, Row, Tables } from '../database/tables.ts';

export type DeliveryState = Row<'EventDelivery'>['state'];

export type DeliveryRecord = Pick<
  Row<'EventDelivery'>,
  'id' | 'endpointId' | 'eventId' | 'callId' | 'state' | 'createdAt' | 'finishedAt'
> & {
  type: Row<'Event'>['type'];
  /**
   * Earliest time of the next attempt; a past time means now. Null for a finished delivery, and while the endpoint is
   * paused or disabled.
   */
  nextAttemptAt: Date | null;
  /** Cause for which a pending delivery waits; null for a delivery that follows its own schedule. */
  waitsFor: 'receiver' | 'resumption' | 'earlier_event' | null;
  /** Attempts in order. */
  attempts: AttemptRecord[];
};

type AttemptJson = Omit<AttemptRecord, 'at'> & { at: string };

/** Attempts of a `delivery` row, as JSON. */
const attempts = () => {
  const { fn, selectFrom } = expressionBuilder<Tables & { delivery: Tables['EventDelivery'] }, 'delivery'>();
  const inOrder = selectFrom('DeliveryAttempt')
    .select(({ ref }) =>
      sql<AttemptJson[]>`jsonb_agg(jsonb_build_object('attempt', ${ref('attempt')}, 'at', ${ref('at')},
        'durationMs', ${ref('durationMs')}, 'httpStatus', ${ref('httpStatus')}, 'error', ${ref('error')},
        'code', ${ref('code')}, 'advice', ${ref('advice')})
        order by ${ref('attempt')})`.as('inOrder'),
    )
    .whereRef('DeliveryAttempt.deliveryId', '=', 'delivery.id');
  return fn.coalesce(inOrder, sql<AttemptJson[]>`'[]'`);
};

const nothing = sql<null>`null`;

const deliveries = (queries: Queries) =>
  queries
    .selectFrom('EventDelivery as delivery')
    .innerJoin('Event', 'Event.id', 'delivery.eventId')
    .innerJoin('WebhookEndpoint as endpoint', 'endpoint.id', 'delivery.endpointId')
    // The first pending delivery of the same call, which comes before all others of the call.
    .leftJoinLateral(
      (lateral) =>
        lateral
          .selectFrom('EventDelivery as before')
          .select(['before.nextAttemptAt'])
          .whereRef('before.endpointId', '=', 'delivery.endpointId')
          .whereRef('before.callId', '=', 'delivery.callId')
          .where('before.state', '=', sql.lit('pending'))
          .whereRef('before.position', '<', 'delivery.position')
          .orderBy('before.position')
          .limit(1)
          .as('earlier'),
      (join) => join.onTrue(),
    )
    .select(({ eb, fn }) => [
      'delivery.id',
      'delivery.endpointId',
      'delivery.eventId',
      'Event.type',
      'delivery.callId',
      'delivery.state',
      eb
        .case()
        .when(
          eb.and([
            eb('delivery.state', '=', sql.lit('pending')),
            eb('endpoint.state', '=', sql.lit('active')),
          ]),
        )
        .then(
          fn<Date>('greatest', ['delivery.nextAttemptAt', 'earlier.nextAttemptAt', 'endpoint.coolingUntil']),
        )
        .end()
        .as('nextAttemptAt'),
      eb
        .case()
        .when('delivery.state', '<>', sql.lit('pending'))
        .then(nothing)
        .when('endpoint.state', '<>', sql.lit('active'))
        .then(sql.lit<DeliveryRecord['waitsFor']>('resumption'))
        .when('endpoint.failingSince', 'is not', null)
        .then(sql.lit<DeliveryRecord['waitsFor']>('receiver'))
        .when('earlier.nextAttemptAt', 'is not', null)
        .then(sql.lit<DeliveryRecord['waitsFor']>('earlier_event'))
        .end()
        .as('waitsFor'),
      'delivery.createdAt',
      'delivery.finishedAt',
      attempts().as('attempts'),
    ]);

const present = (row: Omit<DeliveryRecord, 'attempts'> & { attempts: AttemptJson[] }): DeliveryRecord => ({
  ...row,
  attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
});

/** Lists deliveries, newest first by `createdAt`, then by id. */
export const listDeliveries = async (
  db: Statements,
  query: {
    endpointId: string;
    limit: number;
    state?: DeliveryState | undefined;
    /** The last delivery of the previous page. */
    after?: { createdAt: Date; id: string } | undefined;
  },
): Promise<DeliveryRecord[]> => {
  const { endpointId, limit, state, after } = query;
  let listed = deliveries(db.queries).where('delivery.endpointId', '=', endpointId);
  if (state !== undefined) listed = listed.where('delivery.state', '=', state);
  if (after !== undefined) {
    listed = listed.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('delivery.createdAt', 'delivery.id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  const rows = await listed
    .orderBy('delivery.createdAt', 'desc')
    .orderBy('delivery.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(present);
};

type OwnDelivery = { deliveryId: string; workspaceId: string };

const replaying = kyselyQuery(
  (queries, { deliveryId, workspaceId, now: asked }: OwnDelivery & { now: Date }) =>
    queries
      .updateTable('EventDelivery as delivery')
      .from('WebhookEndpoint as endpoint')
      .set(({ fn, ref, val }) => ({
        state: 'pending',
        nextAttemptAt: fn<Date>('least', [val(asked), now]),
        finishedAt: null,
        attemptsBefore: ref('delivery.attempts'),
      }))
      .whereRef('endpoint.id', '=', 'delivery.endpointId')
      .where('delivery.id', '=', deliveryId)
      .where('endpoint.workspaceId', '=', workspaceId)
      .where(({ eb, or }) =>
        or([
          eb('delivery.state', '<>', 'pending'),
          eb('delivery.claimedUntil', 'is', null),
          eb('delivery.claimedUntil', '<=', asked),
        ]),
      )
      .returning(notified(deliveriesChannel).as('notified')),
);

type StoredEvent = Pick<Row<'Event'>, 'id' | 'type' | 'at'> & { snapshot: EventSnapshot };

const eventOf = kyselyQuery((queries, { eventId }: { eventId: string }) =>
  queries
    .selectFrom('Event')
    .select(({ ref }) => ['id', 'type', 'at', sql<EventSnapshot>`${ref('snapshot')}`.as('snapshot')])
    .where('id', '=', eventId),
);

const deliveryOf = kyselyQuery((queries, { deliveryId, workspaceId }: OwnDelivery) =>
  deliveries(queries).where('delivery.id', '=', deliveryId).where('endpoint.workspaceId', '=', workspaceId),
);

/** Returns a delivery and its event; undefined if the workspace has no such delivery. */
export const findDelivery = async (
  db: Statements,
  wanted: OwnDelivery,
): Promise<{ delivery: DeliveryRecord; event: StoredEvent } | undefined> => {
  const [row] = await deliveryOf(db, wanted);
  const [event] = row === undefined ? [] : await eventOf(db, row);
  return row && event && { delivery: present(row), event };
};

/**
 * Makes a delivery due immediately and restarts its schedule; earlier attempts remain. A delivery in progress stays
 * with its current attempt. Resolves to undefined if the workspace has no such delivery.
 */
export const replayDelivery = async (
  db: Statements,
  replay: OwnDelivery & { now: Date },
): Promise<DeliveryRecord | undefined> => {
  await replaying(db, replay);
  const [row] = await deliveryOf(db, replay);
  return row && present(row);
};
