/** The statements of facts that change the row of a call, or tell customers of it as it is. */
import { expressionBuilder, sql } from 'kysely';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import { callColumns } from '../calls.ts';
import { secondsBetween } from '../expressions.ts';
import { tellOfCalls } from '../outbox.ts';
import { prepared } from '../prepared.ts';
import type { Row, Tables } from '../tables.ts';
import {
  eventOf,
  journalling,
  journallingUnlessEnded,
  positionOf,
  type NewFact,
  type ToldFact,
} from './journalled.ts';

type Call = Row<'Call'>;

/** What the line says of the call. Null leaves what is known already. */
export type LineColumns = Pick<
  Call,
  | 'sipStatus'
  | 'sipReason'
  | 'sipCallId'
  | 'trunkId'
  | 'trunkName'
  | 'failedTrunks'
  | 'postDialDelayMs'
  | 'localSignalling'
  | 'remoteSignalling'
>;

const lineOf = (line: LineColumns) => {
  const { fn, val } = expressionBuilder<Tables, 'Call'>();
  return {
    sipStatus: fn.coalesce(val(line.sipStatus), 'Call.sipStatus'),
    sipReason: fn.coalesce(val(line.sipReason), 'Call.sipReason'),
    sipCallId: fn.coalesce(val(line.sipCallId), 'Call.sipCallId'),
    trunkId: fn.coalesce(val(line.trunkId), 'Call.trunkId'),
    trunkName: fn.coalesce(val(line.trunkName), 'Call.trunkName'),
    failedTrunks: fn.coalesce(val(line.failedTrunks), 'Call.failedTrunks'),
    postDialDelayMs: fn.coalesce(val(line.postDialDelayMs), 'Call.postDialDelayMs'),
    localSignalling: fn.coalesce(val(line.localSignalling), 'Call.localSignalling'),
    remoteSignalling: fn.coalesce(val(line.remoteSignalling), 'Call.remoteSignalling'),
  };
};

// The call is named beside the join with its fact: the server would otherwise look through all calls in progress for it.

/** The call stays as it is. */
export const tell = prepared((queries, fact: ToldFact) =>
  tellOfCalls(
    journalling(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (read) =>
        read.selectFrom('Call').innerJoin('journalled', 'journalled.callId', 'Call.id').select(callColumns),
      ),
    positionOf(fact),
  ),
);

/** Its recording begins with it. */
export const answer = prepared((queries, fact: ToldFact & LineColumns) =>
  tellOfCalls(
    journalling(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (write) =>
        write
          .updateTable('Call')
          .from('journalled')
          .set(({ ref }) => ({ status: 'active', answeredAt: ref('journalled.at'), ...lineOf(fact) }))
          .whereRef('Call.id', '=', 'journalled.callId')
          .where('Call.id', '=', fact.callId)
          .where('Call.status', '=', 'ringing')
          .returning(callColumns),
      )
      .with('recordingBegun', (write) =>
        write
          .insertInto('Recording')
          .columns(['callId', 'status', 'createdAt'])
          .expression((read) =>
            read
              .selectFrom('changed')
              .select(['changed.id', sql.lit('pending').as('status'), 'changed.answeredAt'])
              .where('changed.recordingEnabled', '=', true),
          ),
      ),
    positionOf(fact),
  ),
);

export const sayWhoAnswered = prepared((queries, fact: ToldFact & { by: Call['answeredBy'] }) =>
  tellOfCalls(
    journalling(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (write) =>
        write
          .updateTable('Call')
          .from('journalled')
          .set({ answeredBy: fact.by })
          .whereRef('Call.id', '=', 'journalled.callId')
          .where('Call.id', '=', fact.callId)
          .where('Call.answeredBy', 'is', null)
          .returning(callColumns),
      ),
    positionOf(fact),
  ),
);

type End = LineColumns &
  Pick<Call, 'status' | 'sound'> & { reason: Call['endReason']; durationIsKnown: boolean };

export const end = prepared((queries, fact: ToldFact & End) =>
  tellOfCalls(
    journallingUnlessEnded(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (write) =>
        write
          .updateTable('Call')
          .from('journalled')
          .set(({ eb, fn, lit, ref, val }) => ({
            status: fact.status,
            endReason: fact.reason,
            endedAt: ref('journalled.at'),
            durationSec: eb
              .case()
              .when('Call.answeredAt', 'is', null)
              .then(lit(0))
              .when(val(fact.durationIsKnown))
              .then(
                fn<number>('greatest', [
                  lit(0),
                  secondsBetween(ref('Call.answeredAt'), ref('journalled.at')),
                ]),
              )
              .end(),
            sound: fact.sound,
            ...lineOf(fact),
          }))
          .whereRef('Call.id', '=', 'journalled.callId')
          .where('Call.id', '=', fact.callId)
          .where('Call.status', 'in', statusesInProgress)
          .returning(callColumns),
      ),
    positionOf(fact),
  ),
);

export const summarize = prepared((queries, fact: ToldFact & { summary: string }) =>
  tellOfCalls(
    journalling(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (write) =>
        write
          .updateTable('Call')
          .from('journalled')
          .set({ summary: fact.summary })
          .whereRef('Call.id', '=', 'journalled.callId')
          .where('Call.id', '=', fact.callId)
          .returning(callColumns),
      ),
    positionOf(fact),
  ),
);

/** Of both ways, the first that was missed stands in the record. */
export const noteOneWay = prepared((queries, fact: NewFact & { missing: Call['oneWay'] }) =>
  journalling(queries, fact)
    .updateTable('Call')
    .from('journalled')
    .set(({ fn, val }) => ({ oneWay: fn.coalesce('Call.oneWay', val(fact.missing)) }))
    .whereRef('Call.id', '=', 'journalled.callId')
    .returning('Call.id'),
);
