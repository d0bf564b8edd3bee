/** Creates ringing calls. `database/sql-text.ts` describes how to explain these statements in psql. */
import { sqlText } from '../database/sql-text.ts';

type NewCalls = {
  /** Rows as JSON arrays with column names, created by `Statements.asJson`. */
  calls: string;
  events: string;
  /** First transition of the chart. If its state is null, no transition is inserted. */
  chartVersion: string | null;
  state: string | null;
};

/**
 * One statement: each call's row, its event `call.ringing` with deliveries, and the first transition of its chart.
 * Returns the ids.
 */
export const createCalls = sqlText<NewCalls, { id: string }>(
  `
    with new_event as (
      select id, call_id, type, at, 0 as position from json_populate_recordset(null::event, $2::json)
    ),
    call_after as (
      insert into call (
        id, workspace_id, number_id, direction, own_number, counterparty, caller_name, diversions,
        language, instruction, metadata, sip_headers, max_duration_sec, recording_enabled, started_at,
        node, status
      )
      select
        id, workspace_id, number_id, direction, own_number, counterparty, caller_name, diversions,
        language, instruction, metadata, sip_headers, max_duration_sec, recording_enabled, started_at,
        node, status
      from json_populate_recordset(null::call, $1::json)
      returning call.*
    ),
    new_transition as (
      insert into call_transition
        (call_id, sequence, at, machine, chart_version, event_type, state_after, facts_before)
      select id, 1, started_at, 'call', $3::text, 'xstate.init', $4::text, 0
      from call_after
      where $4::text is not null
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
  ['calls', 'events', 'chartVersion', 'state'],
);

/**
 * Inserts calls, some of them for requests with an `Idempotency-Key`. The responses to such requests are stored, and a
 * call whose key already placed another call is skipped. Of two requests with one key, the later one waits for the
 * commit of the first and is skipped. Returns the ids of the stored calls.
 */
export const createKeyedCalls = sqlText<
  NewCalls & {
    /** Stored responses to the requests with a key, encoded like `calls`. */
    answers: string;
    /** Ids of the calls whose requests have a key. */
    keyed: readonly string[];
  },
  { id: string }
>(
  createCalls.text
    .replace(
      'with new_event as (',
      () => `with new_answer as (
        insert into idempotency_record
          (number_id, key, fingerprint, call_id, response_status, response_body, created_at)
        select number_id, key, fingerprint, call_id, response_status, response_body, now()
        from json_populate_recordset(null::idempotency_record, $5::json)
        on conflict do nothing
        returning call_id
      ),
      new_event as (`,
    )
    .replace(
      'from json_populate_recordset(null::call, $1::json)',
      (source) => `${source}
      where not id = any ($6::uuid[]) or id in (select call_id from new_answer)`,
    ),
  ['calls', 'events', 'chartVersion', 'state', 'answers', 'keyed'],
);
