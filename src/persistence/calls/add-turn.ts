/** Writes the fact `turn.spoken`. `database/sql-text.ts` describes how to explain this statement in psql. */
import { inBatches } from '../database/in-batches.ts';
import { sqlText } from '../database/sql-text.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';
import type { NewFact } from './call-facts/new-fact.ts';

export type Turn = NewFact & Pick<Row<'CallTurn'>, 'role' | 'text' | 'whole'>;

/**
 * One statement: the fact, which has the turn's position in the transcript, and the turn with its words. Returns no row
 * if the fact was written before or if another gateway holds the call.
 */
export const addTurn = sqlText<Turn, { id: string }>(
  `
    with transcript as (
      select coalesce(max(sequence), 0) + 1 as next_sequence, max(t_offset_sec) as last_offset_sec
      from call_turn
      where call_id = $1
    ),
    held_call as (
      select id, number_id, started_at, answered_at
      from call
      where id = $1 and epoch = $3
      for no key update
    ),
    fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select held_call.id, $2, 'turn.spoken', $4, jsonb_build_object('turn', transcript.next_sequence) || $5::jsonb
      from transcript, held_call
      on conflict do nothing
      returning call_id, at
    ),
    new_turn as (
      insert into call_turn (call_id, sequence, role, text, t_offset_sec, spoken_at, whole)
      select
        held_call.id, transcript.next_sequence, $6, $7,
        -- A turn never begins before its predecessor, even if clocks differ.
        greatest(
          0,
          transcript.last_offset_sec,
          extract(epoch from fact.at - coalesce(held_call.answered_at, held_call.started_at))::double precision
        ),
        fact.at, $8
      from fact
      join held_call on held_call.id = fact.call_id
      cross join transcript
      -- Skips the words of a number whose retention period for words is zero.
      where not exists (
        select
        from phone_number
        join workspace on workspace.id = phone_number.workspace_id
        where phone_number.id = held_call.number_id
          and (coalesce(phone_number.retention_days, workspace.retention_days) ->> 'words')::int = 0
      )
    )
    select call_id as id from fact
  `,
  ['callId', 'sequence', 'epoch', 'at', 'data', 'role', 'text', 'whole'],
);

/**
 * The same for turns of several calls, of which each has one. The statement skips a call whose row is locked: two statements that
 * wait for rows of each other would end in a deadlock.
 */
export const addTurns = sqlText<{ turns: string }, { id: string }>(
  `
    with held_call as (
      select
        given.*, call.number_id, call.started_at, call.answered_at, transcript.next_sequence, transcript.last_offset_sec
      from
        json_to_recordset($1::json) as given (
          call_id uuid, sequence integer, epoch integer, at timestamptz, data jsonb, role text, text text, whole boolean
        )
        -- The conditions are within the joined queries, so that each call is found by its index however small the
        -- tables were when the statement was planned.
        cross join lateral (
          select number_id, started_at, answered_at
          from call
          where call.id = given.call_id and call.epoch = given.epoch
          for no key update skip locked
        ) as call
        cross join lateral (
          select coalesce(max(sequence), 0) + 1 as next_sequence, max(t_offset_sec) as last_offset_sec
          from call_turn
          where call_turn.call_id = given.call_id
        ) as transcript
    ),
    fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select call_id, sequence, 'turn.spoken', at, jsonb_build_object('turn', next_sequence) || data
      from held_call
      on conflict do nothing
      returning call_id, at
    ),
    new_turn as (
      insert into call_turn (call_id, sequence, role, text, t_offset_sec, spoken_at, whole)
      select
        fact.call_id, held_call.next_sequence, held_call.role, held_call.text,
        greatest(
          0,
          held_call.last_offset_sec,
          extract(epoch from fact.at - coalesce(held_call.answered_at, held_call.started_at))::double precision
        ),
        fact.at, held_call.whole
      from fact
      join held_call on held_call.call_id = fact.call_id
      where not exists (
        select
        from phone_number
        join workspace on workspace.id = phone_number.workspace_id
        where phone_number.id = held_call.number_id
          and (coalesce(phone_number.retention_days, workspace.retention_days) ->> 'words')::int = 0
      )
    )
    select call_id as id from fact
  `,
  ['turns'],
);

/**
 * A batch waits for a connection behind the other statements of the journal, which may take seconds while many calls are
 * answered. The batches must contain the turns of that time.
 */
const batches = { lanes: 4, most: 1_000 };

/**
 * Writes turns. Simultaneous turns of several calls share a statement and a commit. Resolves to false if the turn was not
 * written together with others; `addTurn` then writes it, or finds out why it cannot be written.
 */
export const createSharedTurnWriter = (
  db: Pick<Statements, 'execute' | 'asJson'>,
): ((turn: Turn) => Promise<boolean>) =>
  inBatches(async (turns: readonly Turn[]) => {
    if (turns.length === 1) return () => false;
    const written = await addTurns(db, { turns: db.asJson(turns) });
    const ids = new Set(written.map(({ id }) => id));
    return ({ callId }) => ids.has(callId);
  }, batches);
