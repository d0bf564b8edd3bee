/** Writes the fact `turn.spoken`. `database/sql-text.ts` describes how to explain this statement in psql. */
import { inBatches } from '../database/in-batches.ts';
import { sqlText } from '../database/sql-text.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';
import type { NewFact } from './call-facts/new-fact.ts';
import type { CallProgress } from './call-checkpoints.ts';

export type Turn = NewFact &
  Pick<Row<'CallTurn'>, 'role' | 'text' | 'whole'> & {
    /** Progress of the call after the turn, and its clock (`StoredProgress`); null if it is written otherwise. */
    progress: CallProgress | null;
    aheadMs: number | null;
  };

/**
 * Writes turns, of which each call has one: the fact, which has the turn's position in the transcript, the turn with its
 * words, and the progress of the call. Returns no row of a turn whose fact was written before or whose call another
 * gateway holds. `given` is a table of turns, and `lock` locks the row of a call.
 */
const addingTurns = (given: string, lock: string): string => `
    with held_call as (
      select
        given.*, call.number_id, call.started_at, call.answered_at, transcript.next_sequence, transcript.last_offset_sec
      from
        ${given}
        -- The conditions are within the joined queries, so that each call is found by its index however small the
        -- tables were when the statement was planned.
        cross join lateral (
          select number_id, started_at, answered_at
          from call
          where call.id = given.call_id and call.epoch = given.epoch
          ${lock}
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
        -- A turn never begins before its predecessor, even if clocks differ.
        greatest(
          0,
          held_call.last_offset_sec,
          extract(epoch from fact.at - coalesce(held_call.answered_at, held_call.started_at))::double precision
        ),
        fact.at, held_call.whole
      from fact
      join held_call on held_call.call_id = fact.call_id
      -- Skips the words of a number whose retention period for words is zero.
      where not exists (
        select
        from phone_number
        join workspace on workspace.id = phone_number.workspace_id
        where phone_number.id = held_call.number_id
          and (coalesce(phone_number.retention_days, workspace.retention_days) ->> 'words')::int = 0
      )
    ),
    new_progress as (
      update call_checkpoint set progress = held_call.progress, ahead_ms = held_call.ahead_ms
      from fact
      join held_call on held_call.call_id = fact.call_id
      where call_checkpoint.call_id = fact.call_id
        and call_checkpoint.epoch = held_call.epoch
        and held_call.progress is not null
    )
    select call_id as id from fact
  `;

/** Writes one turn; waits while another statement has locked the call's row. */
export const addTurn = sqlText<Turn, { id: string }>(
  addingTurns(
    `(
          select
            $1::uuid as call_id, $2::integer as sequence, $3::integer as epoch, $4::timestamptz as at,
            $5::jsonb as data, $6::text as role, $7::text as text, $8::boolean as whole,
            $9::jsonb as progress, $10::double precision as ahead_ms
        ) as given`,
    'for no key update',
  ),
  ['callId', 'sequence', 'epoch', 'at', 'data', 'role', 'text', 'whole', 'progress', 'aheadMs'],
);

/**
 * Writes turns of several calls. Skips a call whose row is locked: two statements that wait for rows of each other would
 * end in a deadlock.
 */
export const addTurns = sqlText<{ turns: string }, { id: string }>(
  addingTurns(
    `json_to_recordset($1::json) as given (
          call_id uuid, sequence integer, epoch integer, at timestamptz, data jsonb, role text, text text, whole boolean,
          progress jsonb, ahead_ms double precision
        )`,
    'for no key update skip locked',
  ),
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
