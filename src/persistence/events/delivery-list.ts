/** Deliveries of a workspace and their manual replay. */
import { expressionBuilder, sql } from 'kysely';
import type { AttemptRecord } from './delivery-attempts.ts';
import { now } from '../database/expressions.ts';
import { notified } from '../database/notifications.ts';
import { deliveriesChannel } from './outbox.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries, Row, Tables } from '../database/tables.ts';

export type DeliveryState = Row<'EventDelivery'>['state'];

export type DeliveryRecord = Pick<
  Row<'EventDelivery'>,
  'id' | 'endpointId' | 'eventId' | 'callId' | 'state' | 'createdAt' | 'finishedAt'
> & {
  type: Row<'Event'>['type'];
  /** Time of the next attempt; null for a finished delivery. */
  nextAttemptAt: Date | null;
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
        'durationMs', ${ref('durationMs')}, 'httpStatus', ${ref('httpStatus')}, 'error', ${ref('error')})
        order by ${ref('attempt')})`.as('inOrder'),
    )
    .whereRef('DeliveryAttempt.deliveryId', '=', 'delivery.id');
  return fn.coalesce(inOrder, sql<AttemptJson[]>`'[]'`);
};

const deliveries = (queries: Queries) =>
  queries
    .selectFrom('EventDelivery as delivery')
    .innerJoin('Event', 'Event.id', 'delivery.eventId')
    .innerJoin('WebhookEndpoint as endpoint', 'endpoint.id', 'delivery.endpointId')
    .select(({ eb, ref }) => [
      'delivery.id',
      'delivery.endpointId',
      'delivery.eventId',
      'Event.type',
      'delivery.callId',
      'delivery.state',
      eb
        .case()
        .when('delivery.state', '=', sql.lit('pending'))
        .then(ref('delivery.nextAttemptAt'))
        .end()
        .as('nextAttemptAt'),
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

const deliveryOf = kyselyQuery((queries, { deliveryId, workspaceId }: OwnDelivery) =>
  deliveries(queries).where('delivery.id', '=', deliveryId).where('endpoint.workspaceId', '=', workspaceId),
);

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
