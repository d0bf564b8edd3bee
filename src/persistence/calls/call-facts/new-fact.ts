/**
 * First part of every statement that writes a fact: inserts the fact's journal row. No row is inserted if the fact was
 * written before or if another gateway holds the call. Comparing the epoch locks the call's row, so a take-over waits
 * for a fact that is being written and finds it in the journal.
 */
import { inBatches } from '../../database/in-batches.ts';
import { sqlText } from '../../database/sql-text.ts';
import type { Statements } from '../../database/statements.ts';
import type { Row } from '../../database/tables.ts';

/** Values of a fact. `epoch` is that of the gateway that writes the fact. */
export type NewFact = Row<'CallFactRow'> & Pick<Row<'Call'>, 'epoch'>;

/** The fields of `newFact` and those of its customer event. */
export type NewEventFact = NewFact & { eventId: string };

/** Columns of the call that the line supplies. Null keeps the stored value. */
export type LineColumns = Pick<
  Row<'Call'>,
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

/** Returns the parameters `$1` to `$6` of a statement with `newFact`. */
export const factParameters = ['callId', 'sequence', 'epoch', 'type', 'at', 'data'] as const;

export const newFact = `fact as (
  insert into call_fact (call_id, sequence, type, at, data)
  select call.id, $2, $4, $5, $6
  from call
  where call.id = $1 and call.epoch = $3
  for no key update
  on conflict do nothing
  returning call_id, type, at
)`;

/** Returns the parameters `$1` to `$7` of a statement with `newFact` and `newEvent`. */
export const eventFactParameters = [...factParameters, 'eventId'] as const;

/**
 * Part of a statement: the event of the fact, which `outbox` stores. The event's position within the call is the fact's
 * sequence.
 */
export const newEvent = `new_event as (
  select $7::text as id, call_id, type, at, $2::int as position from fact
)`;

/** Statement for a fact that changes only the journal. */
export const writeFact = sqlText<NewFact, { id: string }>(
  `
    with ${newFact}
    select call_id as id from fact
  `,
  factParameters,
);

/**
 * Statement for such facts of several calls, one of each. A call whose row is locked is skipped, because two statements
 * that wait for rows of each other would end in a deadlock.
 */
const writeFacts = sqlText<{ facts: string }, { id: string }>(
  `
    with held as (
      select given.*
      from json_to_recordset($1::json)
        as given (call_id uuid, sequence int, epoch int, type text, at timestamptz, data jsonb)
      join call on call.id = given.call_id and call.epoch = given.epoch
      for no key update of call skip locked
    ),
    fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select call_id, sequence, type, at, data from held
      on conflict do nothing
      returning call_id
    )
    select call_id as id from fact
  `,
  ['facts'],
);

/**
 * Writes facts that change only the journal. Simultaneous facts of several calls share a statement and a commit. Resolves
 * to false if the fact was not written together with others; `writeFact` then writes it, or finds out why it cannot be
 * written.
 */
export const createSharedFactWriter = (
  db: Pick<Statements, 'execute' | 'asJson'>,
): ((fact: NewFact) => Promise<boolean>) =>
  inBatches(async (facts: readonly NewFact[]) => {
    if (facts.length === 1) return () => false;
    const written = await writeFacts(db, { facts: db.asJson(facts) });
    const ids = new Set(written.map(({ id }) => id));
    return ({ callId }) => ids.has(callId);
  });
