/** Performs requests on a call of this gateway as commands of its chart. */
import type { Database } from '#src/persistence/database/database.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { QueueLimits } from '../call-parts.ts';
import type { Journal } from '../journal/journal.ts';
import { createCallQueues } from './call-queues.ts';
import type { PerformRequest } from './in-call-requests.ts';
import { switchRecording } from './pause-recording.ts';
import { collectKeys, pressKeys, say } from './speak-for-agent.ts';
import type { WriteBriefing } from './summarized-briefing.ts';
import { cancelTransfer, transfer } from './transfer.ts';

export const createPerformRequest = (options: {
  database: Database;
  journal: Pick<Journal, 'waitingOf'>;
  queueLimits: QueueLimits;
  writeBriefing: WriteBriefing;
  /** Monotonic clock. */
  clock: Clock;
}): PerformRequest => {
  const { database, journal, queueLimits: limits, writeBriefing, clock } = options;
  const queues = createCallQueues({ journal, limits, clock });
  return (actor, request) => {
    const admit = (): void => queues.admit(actor, request);
    switch (request.action) {
      case 'hangup':
        return actor.send({ type: 'hangup.requested', immediate: false });
      case 'hangup_immediately':
        return actor.send({ type: 'hangup.requested', immediate: true });
      case 'cancel':
        return actor.send({ type: 'cancel.requested' });
      case 'pause_recording':
        return switchRecording(
          actor,
          { type: 'recording.pause_requested' },
          { database, admit: () => undefined },
        );
      case 'resume_recording':
        return switchRecording(actor, { type: 'recording.resume_requested' }, { database, admit });
      case 'press_keys':
        return pressKeys(actor, request.keys, admit);
      case 'collect':
        return collectKeys(actor, request.wanted, admit);
      case 'transfer': {
        const { action: _action, callId: _callId, numberId: _numberId, summarize, ...asked } = request;
        transfer(actor, { type: 'transfer.requested', ...asked }, admit);
        if (summarize) writeBriefing(actor, asked);
        return undefined;
      }
      case 'cancel_transfer':
        return cancelTransfer(actor);
      // The only remaining action is `say`.
      default:
        return say(actor, request, admit);
    }
  };
};
