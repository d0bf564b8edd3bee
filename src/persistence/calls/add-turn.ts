/** Writes the fact `turn.spoken`. `database/sql-text.ts` describes how to explain this statement in psql. */
import { sqlText } from '../database/sql-text.ts';
import type { Row } from '../database/tables.ts';
import type { NewFact } from './call-facts/new-fact.ts';

type Turn = NewFact & Pick<Row<'CallTurn'>, 'role' | 'text' | 'whole'>;

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
