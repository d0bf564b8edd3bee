/**
 * Common first part of every fact statement: the fact's journal row. It returns no row for a fact that was already
 * written and for a gateway that no longer holds the call. Comparing the epoch locks the call, so a take-over waits for
 * a fact that is being written and finds it in the journal.
 */
import { expressionBuilder, type ExpressionBuilder, type QueryCreator } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import type { EventType } from '#src/domain/event-types.ts';
import type { Queries, Row, Tables } from '../tables.ts';

/** `epoch` is that of the call's holder, which writes the fact. */
export type NewFact = Row<'CallFactRow'> & Pick<Row<'Call'>, 'epoch'>;

/** A fact with a customer event. */
export type ToldFact = NewFact & { eventId: string };

export const factColumns = ['callId', 'sequence', 'type', 'at', 'data'] as const;

/** The call, if the writer is its current holder. */
export const heldCall = ({ callId, epoch }: Pick<NewFact, 'callId' | 'epoch'>) =>
  expressionBuilder<Tables>()
    .selectFrom('Call')
    .where('Call.id', '=', callId)
    .where('Call.epoch', '=', epoch)
    .forNoKeyUpdate();

/** The fact, for the call of a query. */
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

/** `journalled` contains the fact. */
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
 * Writes only the first end of a call, because a gateway that was cut off may have been declared dead meanwhile. Writes
 * none for a call whose insertion was in doubt and did not happen.
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

/** For `told`: the event has the fact's type and time. */
export const eventOf =
  (eventId: string) => (queries: QueryCreator<Tables & { journalled: Row<'CallFactRow'> }>) =>
    queries.selectFrom('journalled').select(({ ref, val }) => [
      val(eventId).as('id'),
      'journalled.callId',
      // Facts of other types have no event.
      ref('journalled.type').$castTo<EventType>().as('type'),
      'journalled.at',
    ]);

/** An event has the fact's sequence within the call. */
export const positionOf = ({ sequence }: NewFact) => expressionBuilder().val(sequence);
