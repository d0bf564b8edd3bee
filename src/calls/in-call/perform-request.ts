/** Requests to a call that is held here, as commands of its chart. */
import type { Database } from '#src/persistence/database.ts';
import { signalEnd } from './hang-up.ts';
import type { PerformRequest } from './in-call-requests.ts';
import { switchRecording } from './pause-recording.ts';
import { collectKeys, pressKeys, say } from './speak-for-agent.ts';
import { cancelTransfer, transfer } from './transfer.ts';

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
      case 'collect':
        return collectKeys(actor, request.wanted);
      case 'transfer': {
        const { action: _action, callId: _callId, numberId: _numberId, ...asked } = request;
        return transfer(actor, { type: 'transfer.requested', ...asked });
      }
      case 'cancel_transfer':
        return cancelTransfer(actor);
      // Saying something, the only one that is left.
      default:
        return say(actor, request);
    }
  };
