/** What is asked of a call that is held here, as the command of its chart. */
import type { Database } from '#src/persistence/database.ts';
import { signalEnd } from './hang-up.ts';
import type { PerformRequest } from './in-call-requests.ts';
import { switchRecording } from './pause-recording.ts';
import { pressKeys, say } from './speak-for-agent.ts';

export const createPerformRequest =
  (options: {
    database: Database;
    /** Whether this gateway can reach what signals the end of a call. */
    canSignal: () => boolean;
  }): PerformRequest =>
  (actor, request) => {
    const { database, canSignal } = options;
    switch (request.action) {
      case 'hangup':
        return signalEnd(actor, { type: 'hangup.requested', immediate: false }, canSignal);
      case 'hangup_immediately':
        return signalEnd(actor, { type: 'hangup.requested', immediate: true }, canSignal);
      case 'cancel':
        return signalEnd(actor, { type: 'cancel.requested' }, canSignal);
      case 'pause_recording':
        return switchRecording(actor, { type: 'recording.pause_requested' }, database);
      case 'resume_recording':
        return switchRecording(actor, { type: 'recording.resume_requested' }, database);
      case 'press_keys':
        return pressKeys(actor, request.keys);
      // Saying something, the only one that is left.
      default:
        return say(actor, request);
    }
  };
