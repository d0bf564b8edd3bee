import type * as z from 'zod';
import { partiesOf } from '#src/domain/agent-context.ts';
import type { LatencySummary } from '#src/domain/latency-summary.ts';
import { presentExplanation } from '#src/domain/sip-explanation.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import type { CallRecord, CallRow, RecordingRecord } from '#src/calls/stored-calls.ts';
import type { Decoded } from '../http/codec.ts';
import type { callRecord, callConsent } from './call-schema.ts';
import { presentSound } from './sound-schema.ts';

type Rare = 'consent' | 'metadata' | 'wordsErasedAt' | 'erasedAt';

/**
 * Omits fields that most calls do not have: empty metadata, consent of a call without an announcement, and the erasure
 * times of a call that is not erased. Clients that do not know these fields then receive the same document as before.
 */
const withRareFields = <Call extends Pick<CallRow, Rare>>(
  call: Call,
): Omit<Call, Rare> & {
  consent?: Decoded<z.output<typeof callConsent>>;
  metadata?: Metadata;
  wordsErasedAt?: Date;
  erasedAt?: Date;
} => {
  const { consent, metadata, wordsErasedAt, erasedAt, ...fields } = call;
  return {
    ...fields,
    ...(consent === null ? {} : { consent: { ...consent, at: new Date(consent.at) } }),
    ...(metadata === null ? {} : { metadata }),
    ...(wordsErasedAt === null ? {} : { wordsErasedAt }),
    ...(erasedAt === null ? {} : { erasedAt }),
  };
};

/** Converts the times of a transfer, which the database stores as text. */
const presentTransfer = ({ transfer }: Pick<CallRow, 'transfer'>) => {
  if (transfer === null) return null;
  const { startedAt, connectedAt, sip, ...fields } = transfer;
  return {
    ...fields,
    startedAt: new Date(startedAt),
    connectedAt: connectedAt === null ? null : new Date(connectedAt),
    ...(sip === null ? {} : { sip }),
  };
};

/** Properties that every response with the call has. */
export const presentListedFields = <Call extends Pick<CallRow, Rare | 'transfer'>>(call: Call) => ({
  ...withRareFields(call),
  transfer: presentTransfer(call),
});

/** A stored call with the additional properties for clients, and the latency of its replies, if known. */
export const presentCall = (
  call: CallRecord,
  latency: LatencySummary | null = null,
): Decoded<z.output<typeof callRecord>> => {
  const { from, to } = partiesOf(call);
  return {
    ...presentListedFields(call),
    callId: call.id,
    from,
    fromName: call.callerName,
    diversions: call.diversions ?? [],
    to,
    ...presentOptions(call),
    recording: presentRecording(call.recording),
    sip: presentSip(call),
    sound: presentSound(call),
    ...(latency === null ? {} : { latency }),
  };
};

const presentSip = ({ sipStatus, sipReason, sipCallId, sipHeaders, sipExplanation }: CallRow) => ({
  status: sipStatus,
  reason: sipReason,
  callId: sipCallId,
  ...(sipHeaders === null ? {} : { headers: sipHeaders }),
  ...presentExplanation(sipExplanation),
});

/**
 * Presents the options of a call: pending while the call rings, and in force from the answer on. Options of an
 * unanswered call are never in force.
 */
const presentOptions = (call: CallRow) => {
  const options = { maxDurationSec: call.maxDurationSec, recording: call.recordingEnabled };
  return {
    options: call.answeredAt === null ? {} : options,
    optionsPending: call.status === 'ringing' ? options : {},
  };
};

const presentRecording = (recording: RecordingRecord | null) => ({
  status: recording?.erasedAt ? ('erased' as const) : (recording?.status ?? ('none' as const)),
  paused: recording?.paused ?? false,
  truncated: recording?.truncated ?? false,
  ...(recording?.contentType ? { contentType: recording.contentType } : {}),
  ...(typeof recording?.durationSec === 'number' ? { durationSec: recording.durationSec } : {}),
});
