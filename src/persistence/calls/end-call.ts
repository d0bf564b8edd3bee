/** Writes the fact `call.ended`. `database/sql-text.ts` describes how to explain this statement in psql. */
import { sqlText } from '../database/sql-text.ts';
import type { Row } from '../database/tables.ts';
import type { LineColumns, NewEventFact } from './call-facts/new-fact.ts';
import type { EndedCall } from './ended-calls.ts';

type End = NewEventFact &
  LineColumns &
  Pick<Row<'Call'>, 'status' | 'sound'> & {
    reason: Row<'Call'>['endReason'];
    durationIsKnown: boolean;
    /** Whether the writer knows that all stored legs are hung up. */
    legsAreGone: boolean;
    /** Rows of `CallTransition` as a JSON array. Existing rows are not changed. */
    transitions: string;
    /** The summary, which is stored as the next fact, with an event of its own. Null if it is not known yet. */
    summary: string | null;
    summaryEventId: string;
  };

/**
 * One statement: the fact, the summary if it is known, the call's row, its search words, the transitions that are not
 * stored yet, and the events with their deliveries; the checkpoint is deleted. Only the first end of a call is written,
 * because a gateway that was cut off may have been declared dead meanwhile. Returns the input of a summary that is not
 * known; no row if no end was written.
 */
export const endCall = sqlText<End, { id: string } & EndedCall>(
  `
    with fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select call.id, $2, 'call.ended', $4, $5
      from call
      where call.id = $1 and call.epoch = $3 and call.status in ('ringing', 'active')
      for no key update
      on conflict do nothing
      returning call_id, type, at
    ),
    summary_fact as (
      insert into call_fact (call_id, sequence, type, at, data)
      select call_id, $2::int + 1, 'call.summarized', at, '{}' from fact where $23::text is not null
      on conflict do nothing
    ),
    call_after as (
      update call set
        status = $18,
        end_reason = $19,
        ended_at = fact.at,
        -- Skips the words of a number whose retention period for words is zero.
        summary = case
          when not exists (
            select
            from phone_number
            join workspace on workspace.id = phone_number.workspace_id
            where phone_number.id = call.number_id
              and (coalesce(phone_number.retention_days, workspace.retention_days) ->> 'words')::int = 0
          )
          then $23::text
        end,
        duration_sec = case
          when call.answered_at is null then 0
          when $20::boolean then greatest(0, extract(epoch from fact.at - call.answered_at)::double precision)
        end,
        sound = $21,
        -- A transfer that is still in progress fails with the call.
        transfer = case
          when call.transfer ->> 'status' in ('requested', 'ringing', 'briefing')
          then call.transfer || '{"status":"failed","reason":"call_ended"}'::jsonb
          else call.transfer
        end,
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
      where call.id = fact.call_id and call.id = $1 and call.status in ('ringing', 'active')
      returning call.*
    ),
    new_event as (
      select $6::text as id, call_id, type, at, $2::int as position from fact
      union all
      select $24::text, id, 'call.summarized', ended_at, $2::int + 1 from call_after where summary is not null
    ),
    old_checkpoint as (
      -- It stays while a far end has to be hung up, and goes with the last leg then (checkpoint-legs.ts).
      delete from call_checkpoint using fact
      where call_checkpoint.call_id = fact.call_id and ($22::boolean or call_checkpoint.legs = '{}')
    ),
    new_transitions as (
      insert into call_transition
      select given.* from fact, json_populate_recordset(null::call_transition, $7::json) as given
      on conflict do nothing
    ),
    new_search as (
      insert into call_search (call_id, workspace_id, started_at, words)
      select
        call_after.id, call_after.workspace_id, call_after.started_at,
        strip(to_tsvector('pg_catalog.simple', lower(translate(
          left(concat_ws(' ', call_after.caller_name, call_after.instruction, call_after.summary, (
            select string_agg(text, ' ') from call_turn where call_turn.call_id = call_after.id
          )), 200000),
          '!"#$%&''()*+,-./:;<=>?@[]^_{|}~¡§«»¿·‘’‚“”„†•…‰‹›、。〈〉《》「」『』【】〔〕・！（），－．／：；？［］～｡｢｣､' || chr(92) || chr(96),
          repeat(' ', 82)
        ))))
        -- Every suffix of the number, so that any four consecutive digits find it.
        || array_to_tsvector(array(
          select substr(digits, place)
          from translate(left(call_after.counterparty, 40), '+', '') as digits,
            generate_series(1, length(digits) - 3) as place
        ))
      from call_after
      where call_after.ended_at is not null
      on conflict do nothing
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
    select
      call_after.id,
      call_after.language,
      call_after.duration_sec as "durationSec",
      call_after.end_reason as "endReason",
      (
        select coalesce(json_agg(json_build_object('role', role, 'text', text) order by sequence), '[]')
        from call_turn
        where call_turn.call_id = call_after.id and $23::text is null
      ) as turns
    from call_after, notification
  `,
  [
    'callId',
    'sequence',
    'epoch',
    'at',
    'data',
    'eventId',
    'transitions',
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
    'status',
    'reason',
    'durationIsKnown',
    'sound',
    'legsAreGone',
    'summary',
    'summaryEventId',
  ],
);
