/**
 * Builds the body of an event (guides/design/events.md, "Body") from the snapshot that is stored with the change, so
 * that every attempt sends the same bytes. The body contains the instruction and the summary, which belong to the
 * customer; the transcript can be read by the API.
 */
import { partiesOf } from '#src/domain/agent-context.ts';
import type { CallTransfer } from '#src/domain/call-transfer.ts';
import type { EventType } from '#src/domain/event-types.ts';
import { presentExplanation } from '#src/domain/sip-explanation.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import type { CallSnapshot, EventSnapshot, RecordingSnapshot } from '#src/persistence/events/outbox.ts';

/** A stored event, or the test event of an endpoint. */
export type OutgoingEvent = {
  id: string;
  type: EventType | 'webhook.test';
  /** Time of the event. */
  at: Date;
  snapshot: EventSnapshot;
};

const transferPayload = (
  { id, to, mode, status, reason, startedAt, connectedAt, sip }: CallTransfer,
  time: (stored: string | null) => string | null,
) => ({
  id,
  to,
  mode,
  status,
  reason,
  started_at: time(startedAt),
  connected_at: time(connectedAt),
  // SIP details; omitted for a call without SIP details.
  sip:
    sip === null
      ? undefined
      : {
          status: sip.status,
          reason: sip.reason,
          call_id: sip.callId,
          reasons: sip.reasons,
          call_info: sip.callInfo,
        },
});

/** Returns custom headers and the network's reasons; undefined if the call has neither. */
const sipPayload = ({ sip_headers: headers, sip_explanation: explanation }: CallSnapshot) => {
  const { reasons, callInfo } = presentExplanation(explanation);
  return headers || reasons || callInfo
    ? { headers: headers ?? undefined, reasons, call_info: callInfo }
    : undefined;
};

const callPayload = (call: CallSnapshot, time: (stored: string | null) => string | null) => {
  const { id, number_id, direction, language, status, end_reason } = call;
  const { own_number: ownNumber, counterparty, instruction, summary, duration_sec, answered_by } = call;
  const { from, to } = partiesOf({ direction, ownNumber, counterparty });
  return {
    id,
    number_id,
    direction,
    from,
    // This field is omitted in events stored before it existed.
    from_name: call.caller_name,
    diversions: call.diversions === null ? [] : call.diversions,
    to,
    language,
    status,
    end_reason,
    instruction,
    summary,
    started_at: time(call.started_at),
    answered_at: time(call.answered_at),
    ended_at: time(call.ended_at),
    duration_sec,
    // This field is omitted in events stored before it existed.
    answered_by,
    // These fields are omitted if the call has no value for them.
    metadata: call.metadata ?? undefined,
    consent: call.consent ? { ...call.consent, at: time(call.consent.at) } : undefined,
    transfer: call.transfer ? transferPayload(call.transfer, time) : undefined,
    sip: sipPayload(call),
  };
};

// Returns the recording part of the body. `truncated` is omitted in events stored before it existed.
const recordingPayload = ({ status, content_type, duration_sec, bytes, truncated }: RecordingSnapshot) => ({
  status,
  content_type,
  duration_sec,
  bytes,
  truncated,
});

/** Returns the body as JSON. Timestamps have the offset of the workspace's time zone at the time of the event. */
export const eventBody = ({ id, type, at, snapshot }: OutgoingEvent): string => {
  const time = (stored: string | null): string | null =>
    stored === null ? null : timestampIn(snapshot.time_zone, new Date(stored));
  return JSON.stringify({
    id,
    type,
    timestamp: timestampIn(snapshot.time_zone, at),
    call: callPayload(snapshot.call, time),
    // The recording is omitted in events without one.
    recording: snapshot.recording && recordingPayload(snapshot.recording),
  });
};
