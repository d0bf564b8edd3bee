/** Pauses and resumes the recording of a call, for words that must not be stored, such as a card number. */
import type { CallCommand } from '#machines/call-context.ts';
import type { CallOfNumber } from '#src/domain/in-call-request.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { findRecording } from '#src/persistence/calls/recordings.ts';
import type { CallActor } from '../live/switchboard.ts';
import type { InCallRequests } from './in-call-requests.ts';

type RequestOfCall = (request: CallOfNumber) => Promise<void>;

export type RecordingRequests = {
  /**
   * Pauses the recording until `resumeRecording`. When the promise resolves, the call is no longer recorded. Both
   * operations are idempotent. Pausing and resuming reject with `call_not_found`, `call_not_active`, `room_unknown`, or
   * `recording_not_available` if the call is not recorded.
   */
  pauseRecording: RequestOfCall;
  resumeRecording: RequestOfCall;
};

const notRecorded = (reason: 'none' | 'failed'): Refusal =>
  new Refusal(
    'recording_not_available',
    reason === 'none' ? 'This call is not recorded.' : 'Recording this call has failed.',
    { extras: { reason } },
  );

/** Pauses and resumes the recording of a call on this gateway. */
export const switchRecording = async (
  actor: CallActor,
  request: Extract<CallCommand, { type: 'recording.pause_requested' | 'recording.resume_requested' }>,
  { database, admit }: { database: Database; admit: () => void },
): Promise<void> => {
  const snapshot = actor.getSnapshot();
  const { callId, input } = snapshot.context;
  if (!input.recording) throw notRecorded('none');
  if (snapshot.context.consentIsAwaited)
    throw new Refusal('call_not_active', 'Nothing is recorded before the other party agrees to the call.');
  admit();
  // The recording is paused before any look-up in the database, because the next word may be one that must not be
  // recorded.
  actor.send(request);
  const recording = await findRecording(database, callId);
  if (recording?.status === 'failed') throw notRecorded('failed');
};

export const createRecordingRequests = (requests: InCallRequests): RecordingRequests => {
  const asking =
    (action: 'pause_recording' | 'resume_recording'): RequestOfCall =>
    ({ callId, numberId }) =>
      requests.send({ callId, numberId, action });
  return { pauseRecording: asking('pause_recording'), resumeRecording: asking('resume_recording') };
};
