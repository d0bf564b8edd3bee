/** Facts that change the row of a call, except `call.answered` and `call.ended`. */
import type { TransferChange } from '#src/domain/call-transfer.ts';
import { inBatches } from '../../database/in-batches.ts';
import { sqlText, type SqlText } from '../../database/sql-text.ts';
import type { Statements } from '../../database/statements.ts';
import type { Row } from '../../database/tables.ts';
import { outbox } from '../../events/outbox.ts';
import { keepsWords } from '../../numbers/retention.ts';
import { searchesSummary } from '../call-search-words.ts';
import {
  eventFactParameters,
  factParameters,
  newEvent,
  newFact,
  type NewEventFact,
  type NewFact,
} from './new-fact.ts';

type Call = Row<'Call'>;

/** Statement for a fact that changes only the journal. The fact's event contains the unchanged call. */
export const reportCall = sqlText<NewEventFact, { id: string }>(
  `
    with ${newFact},
    ${newEvent},
    call_after as (
      select call.* from call join fact on fact.call_id = call.id
    ),
    ${outbox}
    select call_after.id from call_after, notification
  `,
  eventFactParameters,
);

/**
 * Statement for a fact that changes columns of its call and has a customer event. `$8` is the value. The call is
 * restricted by the parameter in addition to the join with its fact: otherwise the server would scan all calls in
 * progress.
 */
const changing = <Values extends object>(
  { set, where = 'true', also = '' }: { set: string; where?: string; also?: string },
  value: keyof Values,
): SqlText<NewEventFact & Values, { id: string }> =>
  sqlText<NewEventFact & Values, { id: string }>(
    `
      with ${newFact},
      ${newEvent},
      call_after as (
        update call set ${set}
        from fact
        where call.id = fact.call_id and call.id = $1 and ${where}
        returning call.*
      ),
      ${also}
      ${outbox}
      select call_after.id from call_after, notification
    `,
    [...eventFactParameters, value],
  );

const mayChangeAnswerer = `(call.answered_by is null or call.answered_by = 'screening')`;

/** Sets the answerer, which may change: a person may answer after call screening. */
export const setAnsweredBy = changing<Pick<Call, 'answeredBy'>>(
  { set: 'answered_by = $8', where: mayChangeAnswerer },
  'answeredBy',
);

/**
 * The same for the answerers of several calls, of which each has one. The statement skips a call whose row is locked:
 * two statements that wait for rows of each other would end in a deadlock.
 */
export const setAnswerers = sqlText<{ answerers: string; callIds: readonly string[] }, { id: string }>(
  `
    with held_call as (
      select given.*
      from
        json_to_recordset($1::json) as given (
          call_id uuid, sequence integer, epoch integer, at timestamptz, data jsonb, event_id text, answered_by text
        )
        -- The condition is within the joined query, so that each call is found by its index however small the table
        -- was when the statement was planned.
        cross join lateral (
          select from call where call.id = given.call_id and call.epoch = given.epoch
          for no key update skip locked
        ) as call
    ),
    fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select call_id, sequence, 'call.answered_by', at, data from held_call
      on conflict do nothing
      returning call_id, type, at
    ),
    new_event as (
      select held_call.event_id as id, fact.call_id, fact.type, fact.at, held_call.sequence as position
      from fact
      join held_call on held_call.call_id = fact.call_id
    ),
    call_after as (
      update call set answered_by = held_call.answered_by
      from fact
      join held_call on held_call.call_id = fact.call_id
      where call.id = fact.call_id and call.id = any ($2::uuid[]) and ${mayChangeAnswerer}
      returning call.*
    ),
    ${outbox}
    select call_after.id from call_after, notification
  `,
  ['answerers', 'callIds'],
);

export type SharedAnswerer = Omit<NewEventFact, 'type'> & Pick<Call, 'answeredBy'>;

/** One, because an answerer is not urgent. */
const batches = { lanes: 1 };

/**
 * Writes answerers. Simultaneous answerers of several calls share a statement and a commit. Resolves to false if the
 * answerer was not written together with others; `setAnsweredBy` then writes it, or finds out why it cannot be written.
 */
export const createSharedAnswererWriter = (
  db: Pick<Statements, 'execute' | 'asJson'>,
): ((answerer: SharedAnswerer) => Promise<boolean>) =>
  inBatches(async (shared: readonly SharedAnswerer[]) => {
    if (shared.length === 1) return () => false;
    const written = await setAnswerers(db, {
      answerers: db.asJson(shared),
      callIds: shared.map(({ callId }) => callId),
    });
    const ids = new Set(written.map(({ id }) => id));
    return ({ callId }) => ids.has(callId);
  }, batches);

export const setConsent = changing<Pick<Call, 'consent'>>(
  { set: 'consent = $8', where: 'call.consent is null' },
  'consent',
);

/** Merges the fact's fields into the stored transfer. */
const transferAfter = (value: string) => `transfer = coalesce(call.transfer, '{}') || ${value}::jsonb`;

export const changeTransfer = changing<{ transfer: TransferChange }>(
  { set: transferAfter('$8') },
  'transfer',
);

/** Stores a summary, except for calls whose words were erased meanwhile or are never stored. */
export const setSummary = changing<{ summary: string }>(
  {
    set: 'summary = $8',
    where: `call.words_erased_at is null and ${keepsWords('call.number_id')}`,
    also: `${searchesSummary},`,
  },
  'summary',
);

/** Statement for a fact that changes its call and has no customer event. */
const changingSilently = <Values extends object>(
  set: string,
  value: keyof Values,
): SqlText<NewFact & Values, { id: string }> =>
  sqlText<NewFact & Values, { id: string }>(
    `
      with ${newFact}
      update call set ${set}
      from fact
      where call.id = fact.call_id and call.id = $1
      returning call.id
    `,
    [...factParameters, value],
  );

export const changeTransferSilently = changingSilently<{ transfer: TransferChange }>(
  transferAfter('$7'),
  'transfer',
);

/** Stores the first direction without audio. A second direction does not replace the first one. */
export const setOneWay = changingSilently<{ missing: Call['oneWay'] }>(
  'one_way = coalesce(call.one_way, $7)',
  'missing',
);
