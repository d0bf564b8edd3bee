/**
 * The journal of a call (guides/design/events.md, "Outbox"). Each fact is one statement: the row of the journal, what
 * it changes in the call, and the event that customers get of it. A fact that was written before changes nothing.
 */
import type { CallFact } from '#machines/facts.ts';
import type { SipDetails } from '#machines/line.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Row } from './tables.ts';
import { eventAndDeliveries, newEventId } from './outbox.ts';

type Stamped<Fact> = Fact extends { at?: number } ? Omit<Fact, 'at'> & { at: number } : never;

/** What is written of a call; `at` is wall-clock milliseconds since the epoch. */
export type RecordedFact =
  | Stamped<CallFact>
  /** `false`: nobody saw when this call really ended; its duration is then unknown if it was answered. */
  | (Extract<Stamped<CallFact>, { type: 'call.ended' }> & { durationIsKnown: false })
  | {
      type: 'recording.completed';
      at: number;
      contentType: string;
      durationSec: number;
      bytes: number;
      /** Relative to the folder of recordings. */
      file: string;
      /** Its end is missing: the gateway that wrote it ended early. */
      truncated: boolean;
    }
  | { type: 'recording.failed'; at: number }
  | { type: 'call.summarized'; at: number; summary: string };

/** A fact as it is stored; `data` holds what the fact has beside type and time, but no spoken text. */
export type StoredFact = Omit<Row<'CallFactRow'>, 'callId'>;

/** $1 call, $2 sequence, $3 type, $4 time, $5 the fact's own data; the statement of each type goes on from $6. */
const journalled = `journalled as (
  insert into call_fact (call_id, sequence, type, at, data)
  values ($1::uuid, $2::int, $3::text, $4::timestamptz, $5::jsonb)
  on conflict do nothing
  returning call_id
)`;

/**
 * Only the first end of a call is written, for a gateway that was cut off may have been found dead meanwhile; and none
 * of a call of which nobody knows whether it was stored, when it was not.
 */
const journalledUnlessEnded = `journalled as (
  insert into call_fact (call_id, sequence, type, at, data)
  select $1::uuid, $2::int, $3::text, $4::timestamptz, $5::jsonb
  where exists (select 1 from call where id = $1 and status in ('ringing', 'active'))
  on conflict do nothing
  returning call_id
)`;

/** The event of a fact has the fact's own type, time and place in the call. */
const event = { id: '$6', type: '$3', at: '$4', position: '$2' };
const result = 'select (select count(*) from changed) > 0 as changed, (select count from notified)';
const untouched = 'changed as (select call.* from call join journalled on journalled.call_id = call.id)';

const sipColumns = (first: number): string => `
  sip_status = coalesce($${first}::int, call.sip_status),
  sip_reason = coalesce($${first + 1}::text, call.sip_reason),
  sip_call_id = coalesce($${first + 2}::text, call.sip_call_id)`;

const statements = {
  journalOnly: `with ${journalled} select exists (select 1 from journalled) as changed`,

  untouchedCall: `with ${journalled}, ${untouched}, ${eventAndDeliveries(event)} ${result}`,

  answered: `with ${journalled}, changed as (
      update call set status = 'active', answered_at = $4, ${sipColumns(7)}
      from journalled where call.id = journalled.call_id and call.status = 'ringing'
      returning call.*
    ), recording_begun as (
      insert into recording (call_id, status, created_at)
      select id, 'pending', $4 from changed where recording_enabled
    ), ${eventAndDeliveries(event)} ${result}`,

  answeredBy: `with ${journalled}, changed as (
      update call set answered_by = $7
      from journalled where call.id = journalled.call_id and call.answered_by is null
      returning call.*
    ), ${eventAndDeliveries(event)} ${result}`,

  ended: `with ${journalledUnlessEnded}, changed as (
      update call set status = $10, end_reason = $11, ended_at = $4, ${sipColumns(7)},
        duration_sec = case when answered_at is null then 0 when not $12::boolean then null
          else greatest(0, extract(epoch from $4::timestamptz(3) - answered_at)) end
      from journalled where call.id = journalled.call_id and call.status in ('ringing', 'active')
      returning call.*
    ), ${eventAndDeliveries(event)} ${result}`,

  turnSpoken: `with next as (
      select coalesce(max(sequence), 0) + 1 as sequence, max(t_offset_sec) as t_offset_sec
      from call_turn where call_id = $1
    ), journalled as (
      insert into call_fact (call_id, sequence, type, at, data)
      select $1::uuid, $2::int, $3::text, $4::timestamptz, jsonb_build_object('turn', next.sequence) || $5::jsonb
      from next
      on conflict do nothing
      returning call_id
    ), changed as (
      insert into call_turn (call_id, sequence, role, text, t_offset_sec, spoken_at, whole)
      select call.id, next.sequence, $6, $7,
        greatest(0, next.t_offset_sec,
          extract(epoch from $4::timestamptz(3) - coalesce(call.answered_at, call.started_at))), $4, $8
      from journalled join call on call.id = journalled.call_id cross join next
      returning call_id
    ) select (select count(*) from changed) > 0 as changed`,

  recordingCompleted: `with ${journalled}, finished as (
      update recording set status = 'completed', finished_at = $4, content_type = $7, duration_sec = $8, bytes = $9,
        file = $10, truncated = $11
      from journalled where recording.call_id = journalled.call_id and recording.status = 'pending'
      returning recording.*
    ), changed as (select call.* from call join finished on finished.call_id = call.id),
    ${eventAndDeliveries({ ...event, recording: true })} ${result}`,

  recordingFailed: `with ${journalled}, finished as (
      update recording set status = 'failed', finished_at = $4
      from journalled where recording.call_id = journalled.call_id and recording.status = 'pending'
      returning recording.*
    ), changed as (select call.* from call join finished on finished.call_id = call.id),
    ${eventAndDeliveries({ ...event, recording: true })} ${result}`,

  summarized: `with ${journalled}, changed as (
      update call set summary = $7 from journalled where call.id = journalled.call_id returning call.*
    ), ${eventAndDeliveries(event)} ${result}`,
} as const;

const sipParameters = ({ sip }: { sip?: SipDetails }): unknown[] => [
  sip?.status ?? null,
  sip?.reason ?? null,
  sip?.callId ?? null,
];

type Writing = { sql: string; data: object; parameters: unknown[] };

const writingOf = (fact: RecordedFact): Writing => {
  const { type: _type, at: _at, ...rest } = fact;
  const withEvent = (sql: string, data: object, ...parameters: unknown[]): Writing => ({
    sql,
    data,
    parameters: [newEventId(), ...parameters],
  });
  switch (fact.type) {
    case 'call.answered':
      return withEvent(statements.answered, rest, ...sipParameters(fact));
    case 'call.answered_by':
      return withEvent(statements.answeredBy, rest, fact.by);
    case 'call.ended':
      return withEvent(
        statements.ended,
        rest,
        ...sipParameters(fact),
        fact.status,
        fact.reason,
        !('durationIsKnown' in fact),
      );
    case 'call.hangup_requested':
    case 'call.hangup_cancelled':
      return withEvent(statements.untouchedCall, rest);
    case 'turn.spoken': {
      const { role, text, whole, endedAt, latency } = fact;
      return { sql: statements.turnSpoken, data: { endedAt, latency }, parameters: [role, text, whole] };
    }
    case 'call.held':
    case 'call.resumed':
    case 'turn.digit':
    case 'keys.pressed':
    case 'recording.paused':
    case 'recording.resumed':
    case 'reply.failed':
      return { sql: statements.journalOnly, data: rest, parameters: [] };
    case 'recording.completed': {
      const { contentType, durationSec, bytes, file, truncated } = fact;
      return withEvent(statements.recordingCompleted, rest, contentType, durationSec, bytes, file, truncated);
    }
    case 'recording.failed':
      return withEvent(statements.recordingFailed, rest);
    // call.summarized, the only one that is left.
    default:
      return withEvent(statements.summarized, {}, fact.summary);
  }
};

/**
 * Writes one fact of a call's journal; `sequence` counts the facts of the call from 1. Resolves to whether it changed
 * anything: not when the same sequence was written before, nor when the call was already ended (answered) and the fact
 * ends (answers) it.
 */
export const recordFact = async (
  db: Statements,
  callId: string,
  sequence: number,
  fact: RecordedFact,
): Promise<boolean> => {
  const { sql, data, parameters } = writingOf(fact);
  const [row] = await db.execute<{ changed: boolean }>(sql, [
    callId,
    sequence,
    fact.type,
    new Date(fact.at),
    JSON.stringify(data),
    ...parameters,
  ]);
  return row?.changed ?? false;
};

const journalOf = prepared((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('CallFactRow')
    .select(['sequence', 'type', 'at', 'data'])
    .where('callId', '=', callId)
    .orderBy('sequence'),
);

/** The journal of a call, in order. */
export const facts = (db: Statements, callId: string): Promise<StoredFact[]> => journalOf(db, { callId });

const lastOf = prepared((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('CallFactRow')
    .select(({ fn }) => fn.max('sequence').as('last'))
    .where('callId', '=', callId),
);

/** The highest sequence written for a call, 0 for none. */
export const lastFactSequence = async (db: Statements, callId: string): Promise<number> =>
  (await lastOf(db, { callId }))[0]?.last ?? 0;
