/** Stores attempts: their results, and the deliveries that become due after them. */
import { sql } from 'kysely';
import type { ServerTrouble } from '#src/domain/server-advice.ts';
import { afterMs, now } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';

/**
 * Result of an attempt. Attempts are counted from 1. `httpStatus` is null without a response; `error`, `code` and
 * `advice` are null on success.
 */
export type AttemptRecord = Omit<Row<'DeliveryAttempt'>, 'deliveryId'>;

type Attempted = Row<'DeliveryAttempt'> & {
  state: Row<'EventDelivery'>['state'];
  nextAttemptAt: Date | null;
};

const recording = kyselyQuery(
  (
    queries,
    { deliveryId, attempt, at, durationMs, httpStatus, error, code, advice, state, nextAttemptAt }: Attempted,
  ) =>
    queries
      .with('attempted', (write) =>
        write
          .insertInto('DeliveryAttempt')
          .columns(['deliveryId', 'attempt', 'at', 'durationMs', 'httpStatus', 'error', 'code', 'advice'])
          .expression(({ eb, selectFrom, val }) =>
            selectFrom('EventDelivery')
              .select([
                'id',
                eb.cast<number>(val(attempt), 'int4').as('attempt'),
                eb.cast<Date>(val(at), 'timestamptz').as('at'),
                eb.cast<number>(val(durationMs), 'int4').as('durationMs'),
                eb.cast<number | null>(val(httpStatus), 'int4').as('httpStatus'),
                eb.cast<string | null>(val(error), 'text').as('error'),
                eb.cast<ServerTrouble | null>(val(code), 'text').as('code'),
                eb.cast<string | null>(val(advice), 'text').as('advice'),
              ])
              .where('id', '=', deliveryId)
              // The lock keeps the endpoint, which may otherwise be deleted meanwhile with its deliveries.
              .forKeyShare(),
          )
          .onConflict((conflict) => conflict.doNothing())
          .returning(({ ref }) => ['deliveryId', afterMs(ref('at'), ref('durationMs')).as('endedAt')]),
      )
      .updateTable('EventDelivery as delivery')
      .from('attempted')
      .set(({ eb, fn, ref, val }) => ({
        attempts: attempt,
        state,
        claimedUntil: null,
        claimedBy: null,
        nextAttemptAt: fn.coalesce(val(nextAttemptAt), ref('delivery.nextAttemptAt')),
        finishedAt: eb
          .case()
          .when(eb.cast<string>(val(state), 'text'), '<>', 'pending')
          .then(ref('attempted.endedAt'))
          .end(),
      }))
      .whereRef('delivery.id', '=', 'attempted.deliveryId')
      .returning('delivery.id'),
);

/**
 * Stores an attempt and the delivery's new state, and ends the claim. Resolves to false and changes no row if this
 * attempt was already stored (by a node that took the delivery over after the claim expired), or if the delivery was
 * deleted with its endpoint.
 */
export const recordDeliveryAttempt = async (
  db: Statements,
  deliveryId: string,
  attempt: AttemptRecord,
  outcome: { state: 'delivered' | 'dead' } | { state: 'pending'; nextAttemptAt: Date },
): Promise<boolean> => {
  const stored = await recording(db, { nextAttemptAt: null, ...attempt, ...outcome, deliveryId });
  if (stored.length > 0 && outcome.state !== 'pending') await admitNext(db, deliveryId);
  return stored.length > 0;
};

const admitting = kyselyQuery((queries, { deliveryId }: { deliveryId: string }) =>
  queries
    .updateTable('EventDelivery as delivery')
    .from('EventDelivery as done')
    .set(({ fn }) => ({
      nextAttemptAt: fn<Date>('least', ['delivery.nextAttemptAt', 'done.finishedAt', now]),
    }))
    .where('done.id', '=', deliveryId)
    .where('delivery.id', '=', ({ selectFrom }) =>
      selectFrom('EventDelivery as next')
        .select('next.id')
        .whereRef('next.endpointId', '=', 'done.endpointId')
        .whereRef('next.callId', '=', 'done.callId')
        .where('next.state', '=', sql.lit('pending'))
        .orderBy('next.position')
        .limit(1),
    )
    .whereRef('delivery.attempts', '=', 'delivery.attemptsBefore'),
);

/**
 * Makes the next delivery of the call due immediately, unless it has been attempted and follows its own schedule. A
 * separate statement is used, so that it sees deliveries that were deferred while the end was written.
 */
const admitNext = async (db: Statements, deliveryId: string): Promise<void> => {
  await admitting(db, { deliveryId });
};
