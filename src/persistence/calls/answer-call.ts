/** Writes the fact `call.answered`. `database/sql-text.ts` describes how to explain this statement in psql. */
import { inBatches } from '../database/in-batches.ts';
import { sqlText } from '../database/sql-text.ts';
import type { Statements } from '../database/statements.ts';
import { outbox } from '../events/outbox.ts';
import type { LineColumns, NewEventFact } from './call-facts/new-fact.ts';
import { checkpointRow, type NewCheckpoint } from './call-checkpoints.ts';

type Answer = NewEventFact &
  LineColumns & {
    /** Row of `CallCheckpoint` as a JSON array of at most one row. */
    checkpoints: string;
  };

/**
 * One statement: the fact, the call's row, its pending recording, its checkpoint, and the event with its deliveries.
 * Returns no row if the fact was written before, if another gateway holds the call, or if it is no longer ringing.
 */
export const answerCall = sqlText<Answer, { id: string }>(
  `
    with fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select call.id, $2, 'call.answered', $4, $5
      from call
      where call.id = $1 and call.epoch = $3
      for no key update
      on conflict do nothing
      returning call_id, type, at
    ),
    new_event as (
      select $6::text as id, call_id, type, at, $2::int as position from fact
    ),
    call_after as (
      update call set
        status = 'active',
        answered_at = fact.at,
        sip_status = coalesce($8, call.sip_status),
        sip_reason = coalesce($9, call.sip_reason),
        sip_call_id = coalesce($10, call.sip_call_id),
        sip_explanation = coalesce($11, call.sip_explanation),
        trunk_id = coalesce($12, call.trunk_id),
        trunk_name = coalesce($13, call.trunk_name),
        failed_trunks = coalesce($14, call.failed_trunks),
        post_dial_delay_ms = coalesce($15, call.post_dial_delay_ms),
        local_signalling = coalesce($16, call.local_signalling),
        remote_signalling = coalesce($17, call.remote_signalling)
      from fact
      -- The parameter as well: otherwise the server would scan all calls in progress.
      where call.id = fact.call_id and call.id = $1 and call.status = 'ringing'
      returning call.*
    ),
    new_recording as (
      insert into recording (call_id, status, created_at)
      select id, 'pending', answered_at from call_after where recording_enabled
    ),
    new_checkpoint as (
      insert into call_checkpoint
        (call_id, node, epoch, form, settings, token_sealed, headers_sealed, ahead_ms, legs)
      select
        call_after.id, call_after.node, call_after.epoch, given.form, given.settings, given.token_sealed,
        given.headers_sealed, given.ahead_ms, given.legs
      from call_after
      join json_populate_recordset(null::call_checkpoint, $7::json) as given on given.call_id = call_after.id
      -- The checkpoint of a call with a SIP leg exists since the INVITE.
      on conflict (call_id) do update set
        form = excluded.form,
        settings = excluded.settings,
        token_sealed = excluded.token_sealed,
        headers_sealed = excluded.headers_sealed,
        ahead_ms = excluded.ahead_ms,
        legs = excluded.legs
      where call_checkpoint.epoch = excluded.epoch
    ),
    stored_event as (
      insert into event (id, workspace_id, number_id, call_id, type, at, snapshot)
      select
        new_event.id, call_after.workspace_id, call_after.number_id, call_after.id, new_event.type, new_event.at,
        jsonb_build_object(
          'call', (
            select to_jsonb(snapshot)
            from (
              select
                call_after.id, call_after.number_id, call_after.direction, call_after.own_number,
                call_after.counterparty, call_after.caller_name, call_after.diversions, call_after.metadata,
                call_after.sip_headers, call_after.transfer, call_after.consent, call_after.language,
                call_after.status, call_after.end_reason, call_after.instruction,
                case when new_event.type <> 'call.ended' then call_after.summary end as summary,
                call_after.started_at, call_after.answered_at, call_after.ended_at, call_after.duration_sec,
                call_after.answered_by, call_after.sip_status, call_after.sip_reason, call_after.sip_call_id,
                call_after.sip_explanation
            ) as snapshot
          ),
          'time_zone', workspace.time_zone
        )
      from new_event
      join call_after on call_after.id = new_event.call_id
      join workspace on workspace.id = call_after.workspace_id
      returning id, workspace_id, number_id, call_id, type, at
    ),
    new_delivery as (
      insert into event_delivery
        (id, event_id, endpoint_id, call_id, position, state, next_attempt_at, created_at)
      select
        gen_random_uuid(), stored_event.id, endpoint.id, stored_event.call_id, new_event.position, 'pending',
        least(stored_event.at, now()), stored_event.at
      from stored_event
      join new_event on new_event.id = stored_event.id
      join webhook_endpoint as endpoint on endpoint.workspace_id = stored_event.workspace_id
      where endpoint.state <> 'disabled'
        and (endpoint.number_id is null or endpoint.number_id = stored_event.number_id)
        and (endpoint.events is null or stored_event.type = any (endpoint.events))
      -- An endpoint that is deleted meanwhile is skipped; without the lock its foreign key would reject the change itself.
      for key share of endpoint
      returning id
    ),
    -- PostgreSQL evaluates the notification because the final select reads this row.
    notification as (
      select count(pg_notify('deliveries', '')) from (select id from new_delivery limit 1) as any_delivery
    )
    select call_after.id from call_after, notification
  `,
  [
    'callId',
    'sequence',
    'epoch',
    'at',
    'data',
    'eventId',
    'checkpoints',
    'sipStatus',
    'sipReason',
    'sipCallId',
    'sipExplanation',
    'trunkId',
    'trunkName',
    'failedTrunks',
    'postDialDelayMs',
    'localSignalling',
    'remoteSignalling',
  ],
);

/**
 * The same for answers of several calls, of which each has one. The statement skips a call whose row or checkpoint is
 * locked: two statements that wait for rows of each other would end in a deadlock.
 */
export const answerCalls = sqlText<
  {
    answers: string;
    /** Rows of `CallCheckpoint` as a JSON array. */
    checkpoints: string;
    callIds: readonly string[];
  },
  { id: string }
>(
  `
    with held_call as (
      select given.*
      from
        json_to_recordset($1::json) as given (
          call_id uuid, sequence integer, epoch integer, at timestamptz, data jsonb, event_id text,
          sip_status integer, sip_reason text, sip_call_id text, sip_explanation jsonb, trunk_id text,
          trunk_name text, failed_trunks text[], post_dial_delay_ms integer, local_signalling text,
          remote_signalling text
        )
        -- The conditions are within the joined queries, so that each call is found by its index however small the
        -- tables were when the statement was planned.
        cross join lateral (
          select from call where call.id = given.call_id and call.epoch = given.epoch
          for no key update skip locked
        ) as call
        left join lateral (
          select call_id from call_checkpoint where call_checkpoint.call_id = given.call_id
          for update skip locked
        ) as free_checkpoint on true
      where free_checkpoint.call_id is not null
        or not exists (select from call_checkpoint where call_checkpoint.call_id = given.call_id)
    ),
    fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select call_id, sequence, 'call.answered', at, data from held_call
      on conflict do nothing
      returning call_id, type, at
    ),
    new_event as (
      select held_call.event_id as id, fact.call_id, fact.type, fact.at, held_call.sequence as position
      from fact
      join held_call on held_call.call_id = fact.call_id
    ),
    call_after as (
      update call set
        status = 'active',
        answered_at = held_call.at,
        sip_status = coalesce(held_call.sip_status, call.sip_status),
        sip_reason = coalesce(held_call.sip_reason, call.sip_reason),
        sip_call_id = coalesce(held_call.sip_call_id, call.sip_call_id),
        sip_explanation = coalesce(held_call.sip_explanation, call.sip_explanation),
        trunk_id = coalesce(held_call.trunk_id, call.trunk_id),
        trunk_name = coalesce(held_call.trunk_name, call.trunk_name),
        failed_trunks = coalesce(held_call.failed_trunks, call.failed_trunks),
        post_dial_delay_ms = coalesce(held_call.post_dial_delay_ms, call.post_dial_delay_ms),
        local_signalling = coalesce(held_call.local_signalling, call.local_signalling),
        remote_signalling = coalesce(held_call.remote_signalling, call.remote_signalling)
      from fact
      join held_call on held_call.call_id = fact.call_id
      -- The ids as well: otherwise the server would scan all calls in progress.
      where call.id = fact.call_id and call.id = any ($3::uuid[]) and call.status = 'ringing'
      returning call.*
    ),
    new_recording as (
      insert into recording (call_id, status, created_at)
      select id, 'pending', answered_at from call_after where recording_enabled
    ),
    new_checkpoint as (
      insert into call_checkpoint
        (call_id, node, epoch, form, settings, token_sealed, headers_sealed, ahead_ms, legs)
      select
        call_after.id, call_after.node, call_after.epoch, given.form, given.settings, given.token_sealed,
        given.headers_sealed, given.ahead_ms, given.legs
      from call_after
      join json_populate_recordset(null::call_checkpoint, $2::json) as given on given.call_id = call_after.id
      -- New checkpoints are inserted in the same order by every statement, so that none waits for another in a circle.
      order by call_after.id
      on conflict (call_id) do update set
        form = excluded.form,
        settings = excluded.settings,
        token_sealed = excluded.token_sealed,
        headers_sealed = excluded.headers_sealed,
        ahead_ms = excluded.ahead_ms,
        legs = excluded.legs
      where call_checkpoint.epoch = excluded.epoch
    ),
    ${outbox}
    select call_after.id from call_after, notification
  `,
  ['answers', 'checkpoints', 'callIds'],
);

/** An answer that may be stored together with others. */
export type SharedAnswer = Omit<Answer, 'type' | 'checkpoints'> & { checkpoint: NewCheckpoint | null };

/** Few, so that most connections remain for other facts. */
const batches = { lanes: 2, most: 100 };

/**
 * Writes answers. Simultaneous answers of several calls share a statement and a commit. Resolves to false if the answer
 * was not written together with others; `answerCall` then writes it, or finds out why it cannot be written.
 */
export const createSharedAnswerWriter = (
  db: Pick<Statements, 'execute' | 'asJson'>,
): ((answer: SharedAnswer) => Promise<boolean>) =>
  inBatches(async (shared: readonly SharedAnswer[]) => {
    if (shared.length === 1) return () => false;
    const answered = await answerCalls(db, {
      answers: db.asJson(shared.map(({ checkpoint: _checkpoint, ...answer }) => answer)),
      checkpoints: db.asJson(
        shared.flatMap(({ callId, checkpoint }) =>
          checkpoint === null ? [] : [checkpointRow(callId, checkpoint)],
        ),
      ),
      callIds: shared.map(({ callId }) => callId),
    });
    const ids = new Set(answered.map(({ id }) => id));
    return ({ callId }) => ids.has(callId);
  }, batches);
