/**
 * Events for customers, written in the same statement as the change that they tell of: what a call's row shows and
 * what its events say can never differ, and no event is delivered before a read shows the change.
 */
import { randomBytes } from 'node:crypto';
import type { Direction } from '#machines/line.ts';
import type { CallStatus, EndReason } from '#src/domain/end-reasons.ts';
import type { AnsweredBy } from '#src/domain/voicemail.ts';
import type { RecordingStatus } from './recordings.ts';

/** The notification channel that says that there are deliveries to make. */
export const deliveriesChannel = 'deliveries';

/** The call as of one change, as it is kept with the event. Times are ISO 8601 strings. */
export type CallSnapshot = {
  id: string;
  number_id: string;
  direction: Direction;
  own_number: string;
  counterparty: string;
  language: string;
  status: CallStatus;
  end_reason: EndReason | null;
  instruction: string | null;
  summary: string | null;
  started_at: string;
  answered_at: string | null;
  ended_at: string | null;
  duration_sec: number | null;
  /** Absent from events that were stored before it was asked. */
  answered_by?: AnsweredBy | null;
  sip_status: number | null;
  sip_reason: string | null;
  sip_call_id: string | null;
};

export type RecordingSnapshot = {
  status: RecordingStatus;
  content_type: string | null;
  duration_sec: number | null;
  bytes: number | null;
  /** Absent from events that were stored before it was known. */
  truncated?: boolean;
};

export type EventSnapshot = {
  call: CallSnapshot;
  /** Of the workspace. */
  time_zone: string;
  /** With the recording events alone. */
  recording?: RecordingSnapshot;
};

export const newEventId = (): string => `evt_${randomBytes(18).toString('base64url')}`;

const callSnapshot = `jsonb_build_object(
  'id', changed.id, 'number_id', changed.number_id, 'direction', changed.direction,
  'own_number', changed.own_number, 'counterparty', changed.counterparty, 'language', changed.language,
  'status', changed.status, 'end_reason', changed.end_reason, 'instruction', changed.instruction,
  'summary', changed.summary, 'started_at', changed.started_at, 'answered_at', changed.answered_at,
  'ended_at', changed.ended_at, 'duration_sec', changed.duration_sec,
  'answered_by', changed.answered_by, 'sip_status', changed.sip_status,
  'sip_reason', changed.sip_reason, 'sip_call_id', changed.sip_call_id)`;

const recordingSnapshot = `jsonb_build_object(
  'status', finished.status, 'content_type', finished.content_type, 'duration_sec', finished.duration_sec,
  'bytes', finished.bytes, 'truncated', finished.truncated)`;

/**
 * Common table expressions that follow `changed` (the call's row after the change; no row, no event): the event with
 * its snapshot, a delivery for each active endpoint that wants it, and `notified` (always one row, which the statement
 * must read for the notification to happen). `id`, `type` and `at` are the event's own, `position` its place
 * among the events of its call: placeholders, or columns of what `join` adds to `changed`. With `recording`, the row of `finished` is part of the snapshot.
 */
export const eventAndDeliveries = (event: {
  id: string;
  type: string;
  at: string;
  position: string;
  join?: string;
  recording?: boolean;
}): string => `
  event_written as (
    insert into event (id, workspace_id, number_id, call_id, type, at, snapshot)
    select ${event.id}::text, changed.workspace_id, changed.number_id, changed.id, ${event.type}::text,
      ${event.at}::timestamptz, jsonb_build_object('call', ${callSnapshot}, 'time_zone', workspace.time_zone)
      ${event.recording === true ? `|| jsonb_build_object('recording', ${recordingSnapshot})` : ''}
    from changed join workspace on workspace.id = changed.workspace_id ${event.join ?? ''}
      ${event.recording === true ? 'cross join finished' : ''}
    returning id, workspace_id, number_id, call_id, type, at
  ), delivery_written as (
    insert into event_delivery (id, event_id, endpoint_id, call_id, position, state, next_attempt_at, created_at)
    select gen_random_uuid(), event_written.id, endpoint.id, event_written.call_id, ${event.position}::int,
      'pending', least(event_written.at, now()), event_written.at
    from event_written join webhook_endpoint as endpoint on endpoint.workspace_id = event_written.workspace_id
    where endpoint.state <> 'disabled'
      and (endpoint.number_id is null or endpoint.number_id = event_written.number_id)
      and (endpoint.events is null or event_written.type = any (endpoint.events))
    returning id
  ), notified as (
    select count(pg_notify('${deliveriesChannel}', '')) as count
    from (select 1 from delivery_written limit 1) as any_delivery
  )`;
