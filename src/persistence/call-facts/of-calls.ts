/** Statements of facts that change the row of a call or report it to customers. */
import { expressionBuilder, sql, type Expression, type QueryCreator } from 'kysely';
import {
  endedBeforeTransfer,
  openTransferStatuses,
  type CallTransfer,
  type TransferChange,
} from '#src/domain/call-transfer.ts';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import { keepingSummary, keepingWords } from '../call-words.ts';
import { callColumns } from '../calls.ts';
import { turnsOf } from '../ended-calls.ts';
import { secondsBetween } from '../expressions.ts';
import { tellOfCalls } from '../outbox.ts';
import { prepared } from '../prepared.ts';
import { keepsWords } from '../retention.ts';
import { rowsOf, type Row, type Tables } from '../tables.ts';
import {
  eventOf,
  journalling,
  journallingUnlessEnded,
  positionOf,
  type NewFact,
  type ToldFact,
} from './journalled.ts';

type Call = Row<'Call'>;

/** Columns supplied by the line. Null keeps the stored value. */
export type LineColumns = Pick<
  Call,
  | 'sipStatus'
  | 'sipReason'
  | 'sipCallId'
  | 'sipExplanation'
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
    sipExplanation: fn.coalesce(val(line.sipExplanation), 'Call.sipExplanation'),
    trunkId: fn.coalesce(val(line.trunkId), 'Call.trunkId'),
    trunkName: fn.coalesce(val(line.trunkName), 'Call.trunkName'),
    failedTrunks: fn.coalesce(val(line.failedTrunks), 'Call.failedTrunks'),
    postDialDelayMs: fn.coalesce(val(line.postDialDelayMs), 'Call.postDialDelayMs'),
    localSignalling: fn.coalesce(val(line.localSignalling), 'Call.localSignalling'),
    remoteSignalling: fn.coalesce(val(line.remoteSignalling), 'Call.remoteSignalling'),
  };
};

/**
 * Restricts the call by id in addition to the join with its fact: otherwise the server would scan all calls in
 * progress.
 */
const callOf = (write: QueryCreator<Tables & { journalled: NewFact }>, { callId }: NewFact) =>
  write
    .updateTable('Call')
    .from('journalled')
    .whereRef('Call.id', '=', 'journalled.callId')
    .where('Call.id', '=', callId);

/** A fact that changes its call and has a customer event. */
const changing = <Fact extends ToldFact>(
  change: (call: ReturnType<typeof callOf>, fact: Fact) => ReturnType<typeof callOf>,
) =>
  prepared((queries, fact: Fact) =>
    tellOfCalls(
      journalling(queries, fact)
        .with('told', eventOf(fact.eventId))
        .with('changed', (write) => change(callOf(write, fact), fact).returning(callColumns)),
      positionOf(fact),
    ),
  );

type Known = Expression<Call['transfer']>;

/** Merges the change into the stored transfer. */
const transferAfter = (known: Known, change: TransferChange) =>
  sql<CallTransfer>`coalesce(${known}, '{}') || ${change}::jsonb`;

/** Fails a transfer that is still in progress when the call ends. */
const transferAtEnd = (known: Known) => sql<CallTransfer | null>`case
  when ${known} ->> 'status' in (${sql.join(openTransferStatuses.map((status) => sql.lit(status)))})
  then ${known} || ${sql.lit(JSON.stringify(endedBeforeTransfer))}::jsonb
  else ${known} end`;

/** Reports the unchanged call to customers. */
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

/** Creates the call's recording and stores its resume state, from which another process can take over. */
export const answer = prepared((queries, fact: ToldFact & LineColumns & { revivals: string }) =>
  tellOfCalls(
    journalling(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (write) =>
        callOf(write, fact)
          .set(({ ref }) => ({ status: 'active', answeredAt: ref('journalled.at'), ...lineOf(fact) }))
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
      )
      .with('revivable', (write) =>
        write
          .insertInto('CallRevival')
          .columns(['callId', 'epoch', 'form', 'start', 'tokenSealed', 'headersSealed', 'aheadMs'])
          .expression((read) =>
            read
              .selectFrom('changed')
              .innerJoin(rowsOf('CallRevival', fact.revivals), 'given.callId', 'changed.id')
              .select(['changed.id', 'changed.epoch'])
              .select([
                'given.form',
                'given.start',
                'given.tokenSealed',
                'given.headersSealed',
                'given.aheadMs',
              ]),
          ),
      ),
    positionOf(fact),
  ),
);

export const sayWhoAnswered = changing((call, fact: ToldFact & { by: Call['answeredBy'] }) =>
  call
    .set({ answeredBy: fact.by })
    // A person may answer after call screening.
    .where(({ eb, or }) => or([eb('Call.answeredBy', 'is', null), eb('Call.answeredBy', '=', 'screening')])),
);

type End = LineColumns &
  Pick<Call, 'status' | 'sound'> & { reason: Call['endReason']; durationIsKnown: boolean };

/**
 * Ends a call and deletes its resume state. `transitions` are rows in the format of `rowsOf`; existing ones are kept.
 * Returns the input of the summary.
 */
export const end = prepared((queries, fact: ToldFact & End & { transitions: string }) =>
  tellOfCalls(
    journallingUnlessEnded(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (write) =>
        callOf(write, fact)
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
            transfer: transferAtEnd(ref('Call.transfer')),
            ...lineOf(fact),
          }))
          .where('Call.status', 'in', statusesInProgress)
          .returning(callColumns),
      )
      .with('forgotten', (write) =>
        write
          .deleteFrom('CallRevival')
          .using('journalled')
          .whereRef('CallRevival.callId', '=', 'journalled.callId'),
      )
      .with('transitionsKept', (write) =>
        write
          .insertInto('CallTransition')
          .expression((read) =>
            read.selectFrom(['journalled', rowsOf('CallTransition', fact.transitions)]).selectAll('given'),
          )
          .onConflict((conflict) => conflict.doNothing()),
      )
      .with('findable', keepingWords),
    positionOf(fact),
  ).select(({ ref }) => [
    'changed.language',
    'changed.durationSec',
    'changed.endReason',
    turnsOf(ref('changed.id')).as('turns'),
  ]),
);

export const noteConsent = changing((call, fact: ToldFact & Pick<Call, 'consent'>) =>
  call.set({ consent: fact.consent }).where('Call.consent', 'is', null),
);

export const changeTransfer = changing((call, fact: ToldFact & { transfer: TransferChange }) =>
  call.set(({ ref }) => ({ transfer: transferAfter(ref('Call.transfer'), fact.transfer) })),
);

/** This fact has no customer event. */
export const noteTransfer = prepared((queries, fact: NewFact & { transfer: TransferChange }) =>
  callOf(journalling(queries, fact), fact)
    .set(({ ref }) => ({ transfer: transferAfter(ref('Call.transfer'), fact.transfer) }))
    .returning('Call.id'),
);

/** Skips calls whose words were erased meanwhile or are never stored. */
export const summarize = prepared((queries, fact: ToldFact & { summary: string }) =>
  tellOfCalls(
    journalling(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('changed', (write) =>
        callOf(write, fact)
          .set({ summary: fact.summary })
          .where('Call.wordsErasedAt', 'is', null)
          .where(({ ref }) => keepsWords(ref('Call.numberId')))
          .returning(callColumns),
      )
      .with('findable', keepingSummary),
    positionOf(fact),
  ),
);

/** If audio is missing in both directions, the first one found is stored. */
export const noteOneWay = prepared((queries, fact: NewFact & { missing: Call['oneWay'] }) =>
  callOf(journalling(queries, fact), fact)
    .set(({ fn, val }) => ({ oneWay: fn.coalesce('Call.oneWay', val(fact.missing)) }))
    .returning('Call.id'),
);
