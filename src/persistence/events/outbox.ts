/**
 * Customer events, written in the same statement as the change that they report. A call's row and its events therefore
 * never differ, and the API shows the change before its event is delivered.
 *
 * The statements that create, answer and end a call contain this text literally, so that each can be read and explained
 * as it is (test/persistence/statements.test.ts).
 */
import { randomUUID } from 'node:crypto';
import type { SnakeCase } from '@mikro-orm/postgresql';
import { snakeCase } from '#src/domain/field-names.ts';
import type { Row } from '../database/tables.ts';

/** Notification channel that announces pending deliveries. */
export const deliveriesChannel = 'deliveries';

/** Encodes the 122 random bits of a UUID. UUIDs are used because Node generates them in batches. */
export const newEventId = (): string =>
  `evt_${Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url')}`;

const callInSnapshot = [
  'id',
  'numberId',
  'direction',
  'ownNumber',
  'counterparty',
  'callerName',
  'diversions',
  'metadata',
  'sipHeaders',
  'transfer',
  'consent',
  'language',
  'status',
  'endReason',
  'instruction',
  'summary',
  'startedAt',
  'answeredAt',
  'endedAt',
  'durationSec',
  'answeredBy',
  'sipStatus',
  'sipReason',
  'sipCallId',
  'sipExplanation',
] as const satisfies readonly (keyof Row<'Call'>)[];

const recordingInSnapshot = [
  'status',
  'contentType',
  'durationSec',
  'bytes',
  'truncated',
] as const satisfies readonly (keyof Row<'Recording'>)[];

/** A row in JSON form, with column names and with times in ISO 8601. */
type Stored<Fields> = {
  [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name] extends Date | null
    ? string | Extract<Fields[Name], null>
    : Fields[Name];
};

/** State of the call after one change, as stored with the event. */
export type CallSnapshot = Omit<
  Stored<Pick<Row<'Call'>, (typeof callInSnapshot)[number]>>,
  | 'answered_by'
  | 'caller_name'
  | 'diversions'
  | 'metadata'
  | 'sip_headers'
  | 'sip_explanation'
  | 'transfer'
  | 'consent'
> & {
  /** Absent in events that were written before the gateway determined the answerer. */
  answered_by?: Row<'Call'>['answeredBy'];
  caller_name?: Row<'Call'>['callerName'];
  diversions?: Row<'Call'>['diversions'];
  metadata?: Row<'Call'>['metadata'];
  sip_headers?: Row<'Call'>['sipHeaders'];
  sip_explanation?: Row<'Call'>['sipExplanation'];
  transfer?: Row<'Call'>['transfer'];
  consent?: Row<'Call'>['consent'];
};

export type RecordingSnapshot = Omit<
  Stored<Pick<Row<'Recording'>, (typeof recordingInSnapshot)[number]>>,
  'truncated'
> & {
  /** Absent in events of older gateway versions. */
  truncated?: boolean;
};

export type EventSnapshot = {
  call: CallSnapshot;
  /** Time zone of the workspace. */
  time_zone: string;
  /** Present only in recording events. */
  recording?: RecordingSnapshot;
};

/**
 * The summary of a snapshot. An event `call.ended` contains no summary, although the same statement may store a
 * summary.
 */
const summary = `case when new_event.type <> 'call.ended' then call_after.summary end as summary`;

/** Lists the columns of a table, wrapped into lines for human readers. */
const columns = (table: string, names: readonly string[]): string => {
  const lines = [''];
  for (const [index, name] of names.entries()) {
    const value = name === 'summary' ? summary : `${table}.${snakeCase(name)}`;
    const column = `${value}${index < names.length - 1 ? ',' : ''}`;
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = column;
    else if (line.length + 1 + column.length > 96) lines.push(column);
    else lines[lines.length - 1] = `${line} ${column}`;
  }
  return lines.map((line) => `            ${line}`).join('\n');
};

const storing = (recording = '', join = '') => `stored_event as (
  insert into event (id, workspace_id, number_id, call_id, type, at, snapshot)
  select
    new_event.id, call_after.workspace_id, call_after.number_id, call_after.id, new_event.type, new_event.at,
    jsonb_build_object(
      'call', (
        select to_jsonb(snapshot)
        from (
          select
${columns('call_after', callInSnapshot)}
        ) as snapshot
      ),
      'time_zone', workspace.time_zone${recording}
    )
  from new_event
  join call_after on call_after.id = new_event.call_id
  join workspace on workspace.id = call_after.workspace_id${join}
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
)`;

/**
 * Part of a statement: stores the events of `new_event (id, call_id, type, at, position)` for the calls in `call_after`,
 * which has all columns of a call; one delivery for each endpoint that subscribes to the event; and a notification. The
 * statement must end with a `select … from call_after, notification`.
 */
export const outbox = storing();

/** Like `outbox`, with the finished recording of `recording_after` in the snapshot. */
export const outboxWithRecording = storing(
  `,
      'recording', (
        select to_jsonb(snapshot)
        from (
          select
${columns('recording_after', recordingInSnapshot)}
        ) as snapshot
      )`,
  `
  join recording_after on recording_after.call_id = new_event.call_id`,
);
