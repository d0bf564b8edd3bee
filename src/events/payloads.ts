/**
 * The body of an event (guides/design/events.md, "Body"). It is made from the snapshot that was stored with the change
 * and from nothing else, so every attempt sends the same bytes. It holds the instruction and the summary, which are the
 * customer's own; what was said is read by the API (transcript), not sent around.
 */
import { agentContext } from '#src/domain/agent-context.ts';
import type { EventType } from '#src/domain/event-types.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import type { CallSnapshot, EventSnapshot } from '#src/persistence/outbox.ts';

/** A stored event, or the one that a test of an endpoint makes up. */
export type OutgoingEvent = {
  id: string;
  type: EventType | 'webhook.test';
  /** When it happened. */
  at: Date;
  snapshot: EventSnapshot;
};

const callPayload = (call: CallSnapshot, time: (stored: string | null) => string | null) => {
  const { from, to } = agentContext({
    id: call.id,
    direction: call.direction,
    ownNumber: call.own_number,
    counterparty: call.counterparty,
    language: call.language,
  });
  return {
    id: call.id,
    number_id: call.number_id,
    direction: call.direction,
    from,
    to,
    language: call.language,
    status: call.status,
    end_reason: call.end_reason,
    instruction: call.instruction,
    summary: call.summary,
    started_at: time(call.started_at),
    answered_at: time(call.answered_at),
    ended_at: time(call.ended_at),
    duration_sec: call.duration_sec,
    // Left out of events that were stored before it was asked.
    answered_by: call.answered_by,
  };
};

/** JSON. Timestamps carry the offset of the workspace's time zone as it was at the event. */
export const eventBody = ({ id, type, at, snapshot }: OutgoingEvent): string => {
  const time = (stored: string | null): string | null =>
    stored === null ? null : timestampIn(snapshot.time_zone, new Date(stored));
  return JSON.stringify({
    id,
    type,
    timestamp: timestampIn(snapshot.time_zone, at),
    call: callPayload(snapshot.call, time),
    // Left out where there is none.
    recording: snapshot.recording && {
      status: snapshot.recording.status,
      content_type: snapshot.recording.content_type,
      duration_sec: snapshot.recording.duration_sec,
      bytes: snapshot.recording.bytes,
      // Left out of events that were stored before it was known.
      truncated: snapshot.recording.truncated,
    },
  });
};
