/**
 * Statements of facts without a customer event: turns, which are rows of the transcript, and facts that are only
 * journalled.
 */
import { sql, type Expression } from 'kysely';
import { secondsBetween } from '../expressions.ts';
import { prepared } from '../prepared.ts';
import { keepsWords } from '../retention.ts';
import type { Row } from '../tables.ts';
import { factColumns, heldCall, journalling, type NewFact } from './journalled.ts';

export const journal = prepared((queries, fact: NewFact) =>
  journalling(queries, fact).selectFrom('journalled').select('callId as id'),
);

/** The fact's data, beginning with the turn's place. */
const withTurn = (turn: Expression<number>, data: NewFact['data']) =>
  sql<NewFact['data']>`jsonb_build_object('turn', ${turn}) || ${data}::jsonb`;

type Turn = Pick<Row<'CallTurn'>, 'role' | 'text' | 'whole'>;

/** The fact identifies the turn by its place in the transcript, which contains the words. */
export const speak = prepared((queries, fact: NewFact & Turn) =>
  queries
    .with('next', (read) =>
      read
        .selectFrom('CallTurn')
        .select(({ eb, fn, lit }) => [
          eb(fn.coalesce(fn.max('sequence'), lit(0)), '+', lit(1)).as('sequence'),
          fn.max<number | null>('tOffsetSec').as('tOffsetSec'),
        ])
        .where('callId', '=', fact.callId),
    )
    .with('held', () => heldCall(fact).select('Call.id'))
    .with('journalled', (write) =>
      write
        .insertInto('CallFactRow')
        .columns(factColumns)
        .expression((read) =>
          read
            .selectFrom(['next', 'held'])
            .select(({ ref, val }) => [
              'held.id as callId',
              val(fact.sequence).as('sequence'),
              val(fact.type).as('type'),
              val(fact.at).as('at'),
              withTurn(ref('next.sequence'), fact.data).as('data'),
            ]),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning(['callId', 'at']),
    )
    .with('written', (write) =>
      write
        .insertInto('CallTurn')
        .columns(['callId', 'sequence', 'role', 'text', 'tOffsetSec', 'spokenAt', 'whole'])
        .expression((read) =>
          read
            .selectFrom('journalled')
            .innerJoin('Call', 'Call.id', 'journalled.callId')
            .crossJoin('next')
            .select(({ fn, lit, ref, val }) => [
              'Call.id',
              'next.sequence',
              val(fact.role).as('role'),
              val(fact.text).as('text'),
              // A turn never begins before its predecessor, even if clocks differ.
              fn<number>('greatest', [
                lit(0),
                'next.tOffsetSec',
                secondsBetween(fn.coalesce('Call.answeredAt', 'Call.startedAt'), ref('journalled.at')),
              ]).as('tOffsetSec'),
              'journalled.at',
              val(fact.whole).as('whole'),
            ])
            .where(({ ref }) => keepsWords(ref('Call.numberId'))),
        ),
    )
    .selectFrom('journalled')
    .select('callId as id'),
);
