/**
 * The beginning of every statement of a fact: the fact's row. A fact that was written before has none, and neither has
 * one of a gateway that holds the call no more: the call is locked while its epoch is compared, so that whoever takes
 * it over waits for a fact that is being written, and finds it in the journal.
 */
import { expressionBuilder, type ExpressionBuilder, type QueryCreator } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import type { EventType } from '#src/domain/event-types.ts';
import type { Queries, Row, Tables } from '../tables.ts';

/** `epoch` is that of the call's holder, who writes it. */
export type NewFact = Row<'CallFactRow'> & Pick<Row<'Call'>, 'epoch'>;

/** A fact that customers are told. */
export type ToldFact = NewFact & { eventId: string };

export const factColumns = ['callId', 'sequence', 'type', 'at', 'data'] as const;

/** The call, while who writes is the one who holds it. */
export const heldCall = ({ callId, epoch }: Pick<NewFact, 'callId' | 'epoch'>) =>
  expressionBuilder<Tables>()
    .selectFrom('Call')
    .where('Call.id', '=', callId)
    .where('Call.epoch', '=', epoch)
    .forNoKeyUpdate();

/** The fact, for the call that a query has. */
const factOfCall =
  ({ sequence, type, at, data }: NewFact) =>
  ({ ref, val }: ExpressionBuilder<Tables, 'Call'>) =>
    [
      ref('Call.id').as('callId'),
      val(sequence).as('sequence'),
      val(type).as('type'),
      val(at).as('at'),
      val(data).as('data'),
    ] as const;

/** `journalled` has the fact. */
export const journalling = (queries: Queries, fact: NewFact) =>
  queries.with('journalled', (write) =>
    write
      .insertInto('CallFactRow')
      .columns(factColumns)
      .expression(() => heldCall(fact).select(factOfCall(fact)))
      .onConflict((conflict) => conflict.doNothing())
      .returning(factColumns),
  );

/**
 * Only the first end of a call is written, for a gateway that was cut off may have been found dead meanwhile; and none
 * of a call of which nobody knows whether it was stored, when it was not.
 */
export const journallingUnlessEnded = (queries: Queries, fact: NewFact) =>
  queries.with('journalled', (write) =>
    write
      .insertInto('CallFactRow')
      .columns(factColumns)
      .expression(() =>
        heldCall(fact).select(factOfCall(fact)).where('Call.status', 'in', statusesInProgress),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(factColumns),
  );

/** For `told`: the event of a fact has the fact's type and time. */
export const eventOf =
  (eventId: string) => (queries: QueryCreator<Tables & { journalled: Row<'CallFactRow'> }>) =>
    queries.selectFrom('journalled').select(({ ref, val }) => [
      val(eventId).as('id'),
      'journalled.callId',
      // Facts of the other types are not told.
      ref('journalled.type').$castTo<EventType>().as('type'),
      'journalled.at',
    ]);

/** The event of a fact has the fact's place in the call. */
export const positionOf = ({ sequence }: NewFact) => expressionBuilder().val(sequence);
