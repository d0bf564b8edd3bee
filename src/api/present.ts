/** Stored records in the words of the API: snake_case, timestamps in the workspace's time zone. */
import type * as z from 'zod';
import { callContext } from '#src/domain/call-context.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import type { CallRecord, CallRow } from '#src/persistence/calls.ts';
import type { RecordingRecord } from '#src/persistence/recordings.ts';
import type { TurnRecord } from '#src/persistence/transcripts.ts';
import type { callListItem, callRecord, transcriptTurn } from './calls/call-schema.ts';

const maybe = (timeZone: string, instant: Date | null): string | null =>
  instant === null ? null : timestampIn(timeZone, instant);

export const presentListItem = (call: CallRow, timeZone: string): z.output<typeof callListItem> => ({
  id: call.id,
  number_id: call.numberId,
  direction: call.direction,
  counterparty: call.counterparty,
  status: call.status,
  end_reason: call.endReason,
  instruction: call.instruction,
  summary: call.summary,
  started_at: timestampIn(timeZone, call.startedAt),
  ended_at: maybe(timeZone, call.endedAt),
});

export const presentCall = (call: CallRecord, timeZone: string): z.output<typeof callRecord> => {
  const { from, to } = callContext(call);
  return {
    call_id: call.id,
    ...presentListItem(call, timeZone),
    from,
    to,
    language: call.language,
    ...presentOptions(call),
    duration_sec: call.durationSec,
    answered_at: maybe(timeZone, call.answeredAt),
    answered_by: call.answeredBy,
    recording: presentRecording(call.recording),
    sip: { status: call.sipStatus, reason: call.sipReason, call_id: call.sipCallId },
  };
};

/** Pending while the call rings, in force from the answer on; a call that ends unanswered never had any in force. */
const presentOptions = (call: CallRow) => {
  const options = { max_duration_sec: call.maxDurationSec, recording: call.recordingEnabled };
  return {
    options: call.answeredAt === null ? {} : options,
    options_pending: call.status === 'ringing' ? options : {},
  };
};

const presentRecording = (recording: RecordingRecord | null) => ({
  status: recording?.status ?? ('none' as const),
  paused: recording?.paused ?? false,
  truncated: recording?.truncated ?? false,
  ...(recording?.contentType ? { content_type: recording.contentType } : {}),
  ...(typeof recording?.durationSec === 'number' ? { duration_sec: recording.durationSec } : {}),
});

export const presentTurn = (turn: TurnRecord, timeZone: string): z.output<typeof transcriptTurn> => ({
  role: turn.role,
  sequence: turn.sequence,
  t_offset_sec: turn.tOffsetSec,
  text: turn.text,
  timestamp: timestampIn(timeZone, turn.spokenAt),
});
