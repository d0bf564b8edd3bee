/** Facts that change the row of a call, except `call.answered` and `call.ended`. */
import type { TransferChange } from '#src/domain/call-transfer.ts';
import { sqlText, type SqlText } from '../../database/sql-text.ts';
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

/** Sets the answerer, which may change: a person may answer after call screening. */
export const setAnsweredBy = changing<Pick<Call, 'answeredBy'>>(
  { set: 'answered_by = $8', where: `(call.answered_by is null or call.answered_by = 'screening')` },
  'answeredBy',
);

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
