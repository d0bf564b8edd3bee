/** How every statement of a fact begins: with the fact's row. A fact that was written before has none. */
import { expressionBuilder, type QueryCreator } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import type { EventType } from '#src/domain/event-types.ts';
import type { Queries, Row, Tables } from '../tables.ts';

export type NewFact = Row<'CallFactRow'>;

/** A fact that customers are told. */
export type ToldFact = NewFact & { eventId: string };

export const factColumns = ['callId', 'sequence', 'type', 'at', 'data'] as const;

/** `journalled` has the fact. */
export const journalling = (queries: Queries, { callId, sequence, type, at, data }: NewFact) =>
  queries.with('journalled', (write) =>
    write
      .insertInto('CallFactRow')
      .values({ callId, sequence, type, at, data })
      .onConflict((conflict) => conflict.doNothing())
      .returning(factColumns),
  );

/**
 * Only the first end of a call is written, for a gateway that was cut off may have been found dead meanwhile; and none
 * of a call of which nobody knows whether it was stored, when it was not.
 */
export const journallingUnlessEnded = (queries: Queries, { callId, sequence, type, at, data }: NewFact) =>
  queries.with('journalled', (write) =>
    write
      .insertInto('CallFactRow')
      .columns(factColumns)
      .expression((read) =>
        read
          .selectFrom('Call')
          .select(({ val }) => [
            'id',
            val(sequence).as('sequence'),
            val(type).as('type'),
            val(at).as('at'),
            val(data).as('data'),
          ])
          .where('id', '=', callId)
          .where('status', 'in', statusesInProgress),
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
