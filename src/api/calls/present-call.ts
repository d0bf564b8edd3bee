import type * as z from 'zod';
import { agentContext } from '#src/domain/agent-context.ts';
import type { CallRecord, CallRow, RecordingRecord } from '#src/calls/stored-calls.ts';
import type { Decoded } from '../codec.ts';
import type { callRecord } from './call-schema.ts';
import { presentSound } from './sound-schema.ts';

/** A stored call with what clients are told beside it. */
export const presentCall = (call: CallRecord): Decoded<z.output<typeof callRecord>> => {
  const { from, to } = agentContext(call);
  return {
    ...call,
    callId: call.id,
    from,
    fromName: call.callerName,
    diversions: call.diversions ?? [],
    to,
    ...presentOptions(call),
    recording: presentRecording(call.recording),
    sip: { status: call.sipStatus, reason: call.sipReason, callId: call.sipCallId },
    sound: presentSound(call),
  };
};

/** Pending while the call rings, in force from the answer on; a call that ends unanswered never had any in force. */
const presentOptions = (call: CallRow) => {
  const options = { maxDurationSec: call.maxDurationSec, recording: call.recordingEnabled };
  return {
    options: call.answeredAt === null ? {} : options,
    optionsPending: call.status === 'ringing' ? options : {},
  };
};

const presentRecording = (recording: RecordingRecord | null) => ({
  status: recording?.status ?? ('none' as const),
  paused: recording?.paused ?? false,
  truncated: recording?.truncated ?? false,
  ...(recording?.contentType ? { contentType: recording.contentType } : {}),
  ...(typeof recording?.durationSec === 'number' ? { durationSec: recording.durationSec } : {}),
});
