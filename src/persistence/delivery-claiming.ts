/**
 * The statement that claims deliveries, step by step; `claimDeliveries` documents its guarantees.
 *
 * An endpoint receives the events of one call in order: a delivery is not claimed while an earlier one of the same call
 * is pending. A delivery that is due too early is deferred, so that a backlog behind a failing endpoint is not examined
 * repeatedly; it becomes due when its predecessor ends.
 *
 * Deliveries of the workspace with the fewest slots come first, counting the slots of this claim. A workspace gets a
 * slot only while it holds fewer than are free (src/outgoing/permits.ts).
 */
import { expressionBuilder, sql, type QueryCreator } from 'kysely';
import type { EventSnapshot } from './outbox.ts';
import { prepared } from './prepared.ts';
import type { Queries, Row, Tables } from './tables.ts';

type Claiming = {
  node: string;
  now: Date;
  until: Date;
  free: number;
  perEndpoint: number;
  lookAhead: number;
  /** Next examination of a delivery whose predecessor is in progress. */
  putOffUntil: Date;
  /** Workspaces and the slots that each holds. */
  holders: readonly string[];
  holderPlaces: readonly number[];
  /** Endpoints with a lower maximum, and the maxima. */
  restrained: readonly string[];
  restrainedTo: readonly number[];
};

type Numbered = { of: string; number: number };

/** Tables of the statement, as its parts refer to each other. */
type Looking = Tables & {
  endpoint: Row<'WebhookEndpoint'>;
  holder: { [Name in keyof Numbered]: Numbered[Name] | null };
  restraint: { [Name in keyof Numbered]: Numbered[Name] | null };
  share: { room: number; held: number };
  delivery: Pick<Row<'EventDelivery'>, 'id' | 'callId' | 'position' | 'nextAttemptAt'>;
};

/** A table of ids with a number each. */
const numbered = <Alias extends string>(alias: Alias, ids: readonly string[], numbers: readonly number[]) =>
  sql<Numbered>`unnest(${ids}::uuid[], ${numbers}::int[])`.as<Alias>(sql`${sql.id(alias)}("of", "number")`);

/** Free slots of an endpoint and the slots of its workspace. */
const shareOfEndpoint = (claim: Claiming) =>
  expressionBuilder<Looking, 'endpoint' | 'holder' | 'restraint'>()
    .selectFrom('EventDelivery as claimed')
    .select(({ eb, fn, lit, val }) => [
      eb(fn<number>('least', [val(claim.perEndpoint), 'restraint.number']), '-', fn.countAll<number>()).as(
        'room',
      ),
      fn.coalesce('holder.number', lit(0)).as('held'),
    ])
    .whereRef('claimed.endpointId', '=', 'endpoint.id')
    .where('claimed.state', '=', 'pending')
    .where('claimed.claimedUntil', '>', claim.now)
    .as('share');

/** Longest-due deliveries, if there is a free slot; locked rows are skipped by other nodes. */
const dueAtEndpoint = (claim: Claiming) =>
  expressionBuilder<Looking, 'endpoint' | 'share'>()
    .selectFrom('EventDelivery')
    .select([
      'EventDelivery.id',
      'EventDelivery.callId',
      'EventDelivery.position',
      'EventDelivery.nextAttemptAt',
    ])
    .whereRef('EventDelivery.endpointId', '=', 'endpoint.id')
    .where('EventDelivery.state', '=', 'pending')
    .where('EventDelivery.nextAttemptAt', '<=', claim.now)
    .where(({ eb, or }) =>
      or([eb('EventDelivery.claimedUntil', 'is', null), eb('EventDelivery.claimedUntil', '<=', claim.now)]),
    )
    .orderBy('EventDelivery.nextAttemptAt')
    .limit(({ and, eb, lit, val }) =>
      eb
        .case()
        .when(and([eb('share.room', '>', 0), eb('share.held', '<', claim.free)]))
        .then(eb.cast<number>(val(claim.lookAhead), 'integer'))
        .else(lit(0))
        .end(),
    )
    .forUpdate()
    .skipLocked()
    .as('delivery');

/** The first earlier pending delivery of the same call. */
const earlierOfCall = () =>
  expressionBuilder<Looking, 'endpoint' | 'delivery'>()
    .selectFrom('EventDelivery as before')
    .select('before.nextAttemptAt as earlierAt')
    .whereRef('before.endpointId', '=', 'endpoint.id')
    .whereRef('before.callId', '=', 'delivery.callId')
    .where('before.state', '=', 'pending')
    .whereRef('before.position', '<', 'delivery.position')
    .orderBy('before.position')
    .limit(1)
    .as('earlier');

/** Due deliveries of active endpoints that this claim examines. */
const lookedAt = (claim: Claiming) => (queries: QueryCreator<Tables>) =>
  queries
    .selectFrom('WebhookEndpoint as endpoint')
    .leftJoin(numbered('holder', claim.holders, claim.holderPlaces), (join) =>
      join.onRef('holder.of', '=', 'endpoint.workspaceId'),
    )
    .leftJoin(numbered('restraint', claim.restrained, claim.restrainedTo), (join) =>
      join.onRef('restraint.of', '=', 'endpoint.id'),
    )
    .crossJoinLateral(shareOfEndpoint(claim))
    .crossJoinLateral(dueAtEndpoint(claim))
    .leftJoinLateral(earlierOfCall(), (join) => join.onTrue())
    .select([
      'delivery.id',
      'delivery.nextAttemptAt',
      'endpoint.id as endpointId',
      'endpoint.workspaceId',
      'share.room',
      'share.held',
      'earlier.earlierAt',
    ])
    .where('endpoint.state', '=', 'active');

const withPutOff = (queries: Queries, claim: Claiming) =>
  queries.with('lookedAt', lookedAt(claim)).with('putOff', (write) =>
    write
      .updateTable('EventDelivery as delivery')
      .from('lookedAt')
      .set(({ fn, val }) => ({
        nextAttemptAt: fn<Date>('greatest', ['lookedAt.earlierAt', val(claim.putOffUntil)]),
      }))
      .whereRef('delivery.id', '=', 'lookedAt.id')
      .where('lookedAt.earlierAt', 'is not', null)
      .returning('delivery.id'),
  );

/** Ids of the deliveries to claim: `place` is the rank at the endpoint, `turn` the rank among all. */
const withDue = (queries: Queries, claim: Claiming) =>
  withPutOff(queries, claim)
    .with('free', (read) =>
      read
        .selectFrom('lookedAt')
        .selectAll()
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('endpointId').orderBy('nextAttemptAt'))
            .as('place'),
        )
        .where('earlierAt', 'is', null),
    )
    .with('inWorkspace', (read) =>
      read
        .selectFrom('free')
        .select(({ eb, fn, ref }) => [
          'id',
          'nextAttemptAt',
          eb(
            'held',
            '+',
            fn.agg<number>('row_number').over((over) =>
              over
                .partitionBy('workspaceId')
                .orderBy(eb('place', '-', ref('room')))
                .orderBy('nextAttemptAt'),
            ),
          ).as('wouldHold'),
        ])
        .whereRef('place', '<=', 'room'),
    )
    .with('inTurn', (read) =>
      read.selectFrom('inWorkspace').select(({ fn }) => [
        'id',
        'wouldHold',
        fn
          .agg<number>('row_number')
          .over((over) => over.orderBy('wouldHold').orderBy('nextAttemptAt'))
          .as('turn'),
      ]),
    )
    .with('due', (read) =>
      read
        .selectFrom('inTurn')
        .select('id')
        // Each turn uses one free slot.
        .where(({ eb, lit, ref, val }) =>
          eb(
            eb('wouldHold', '+', ref('turn')),
            '<=',
            eb(eb.cast<number>(val(claim.free), 'integer'), '+', lit(1)),
          ),
        ),
    );

export type ClaimedRow = Pick<Row<'EventDelivery'>, 'id'> & {
  attempt: number;
  failedInRound: number;
  eventId: string;
  snapshot: EventSnapshot;
  endpointId: string;
} & Pick<Row<'Event'>, 'type' | 'at' | 'callId'> &
  Pick<
    Row<'WebhookEndpoint'>,
    'workspaceId' | 'url' | 'secretSealed' | 'previousSecretSealed' | 'previousSecretUntil' | 'failingSince'
  >;

const claimedColumns = [
  'claimed.id',
  'claimed.attempt',
  'claimed.failedInRound',
  'claimed.eventId',
  'claimed.type',
  'claimed.at',
  'claimed.callId',
  'claimed.snapshot',
  'claimed.endpointId',
  'claimed.workspaceId',
  'claimed.url',
  'claimed.secretSealed',
  'claimed.previousSecretSealed',
  'claimed.previousSecretUntil',
  'claimed.failingSince',
] as const;

/** One row for each claimed delivery, or one row without an id; each with the number of deferred deliveries. */
export const claiming = prepared((queries, claim: Claiming) =>
  withDue(queries, claim)
    .with('claimed', (write) =>
      write
        .updateTable('EventDelivery as delivery')
        .from(['due', 'Event as event', 'WebhookEndpoint as endpoint'])
        .set({ claimedUntil: claim.until, claimedBy: claim.node })
        .whereRef('delivery.id', '=', 'due.id')
        .whereRef('event.id', '=', 'delivery.eventId')
        .whereRef('endpoint.id', '=', 'delivery.endpointId')
        .returning(({ eb, lit, ref }) => [
          'delivery.id',
          eb('delivery.attempts', '+', lit(1)).as('attempt'),
          eb('delivery.attempts', '-', ref('delivery.attemptsBefore')).as('failedInRound'),
          'event.id as eventId',
          'event.type',
          'event.at',
          'event.callId',
          ref('event.snapshot').$castTo<EventSnapshot>().as('snapshot'),
          'endpoint.id as endpointId',
          'endpoint.workspaceId',
          'endpoint.url',
          'endpoint.secretSealed',
          'endpoint.previousSecretSealed',
          'endpoint.previousSecretUntil',
          'endpoint.failingSince',
        ]),
    )
    .selectFrom(({ selectFrom }) =>
      selectFrom('putOff')
        .select(({ fn }) => fn.countAll<number>().as('putOff'))
        .as('looked'),
    )
    .leftJoin('claimed', (join) => join.onTrue())
    .select(['looked.putOff', ...claimedColumns])
    // A left join returns either all columns of the claimed row or none.
    .$castTo<{ putOff: number } & (ClaimedRow | { id: null })>(),
);
