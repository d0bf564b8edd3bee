/** Pausing the recording of a call and resuming it, for words that must not be kept, such as a card's number. */
import type { CallRequest } from '#machines/call.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findRecording } from '#src/persistence/recordings.ts';
import { findActor, notActive, type ActorSource } from './request-hangup.ts';

type RequestOfCall = (request: { callId: string; numberId: string }) => Promise<void>;

export type RecordingRequests = {
  /** When it resolves, nothing that is said is recorded any more. */
  pauseRecording: RequestOfCall;
  resumeRecording: RequestOfCall;
};

const notRecorded = (reason: 'none' | 'failed'): Refusal =>
  new Refusal(
    'recording_not_available',
    reason === 'none' ? 'This call is not recorded.' : 'Recording this call has failed.',
    { extras: { reason } },
  );

export const createRecordingRequests = (options: ActorSource): RecordingRequests => {
  const ask =
    (request: CallRequest): RequestOfCall =>
    async (wanted) => {
      const actor = await findActor(options, wanted);
      const snapshot = actor.getSnapshot();
      if (!snapshot.matches('active')) throw notActive();
      if (!snapshot.context.recording) throw notRecorded('none');
      // Before anything is looked up: the next word may be the one that must not be kept.
      actor.send(request);
      const recording = await findRecording(options.database, wanted.callId);
      if (recording?.status === 'failed') throw notRecorded('failed');
    };
  return {
    pauseRecording: ask({ type: 'recording.pause_requested' }),
    resumeRecording: ask({ type: 'recording.resume_requested' }),
  };
};
