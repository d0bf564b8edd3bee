/**
 * Ends calls of a dead process that cannot be resumed: each once, with `system_error` and an unknown duration
 * (guides/design/calls.md, "Lost calls"). The database row decides: the first update ends the call, and there is one
 * `call.ended`. src/recordings handles their recordings.
 */
import type { Logger } from 'pino';
import { outcomeOf } from '#machines/outcome.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallRow } from '#src/persistence/calls/calls.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { Journal } from '#src/calls/journal/journal.ts';

export type OrphanedCalls = {
  /** Ends a call on behalf of its holder. Never throws. */
  end(call: Pick<CallRow, 'id' | 'epoch' | 'direction' | 'answeredAt'>): void;
};

export const createOrphanedCalls = (options: {
  journal: Pick<Journal, 'reopen' | 'append'>;
  bus: Pick<CallBus, 'publish'>;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
}): OrphanedCalls => ({
  end({ id: callId, epoch, direction, answeredAt }) {
    options.logger.warn({ call_id: callId }, 'a call was lost with its process and is ended');
    const outcome = outcomeOf('system_error', answeredAt !== null);
    options.bus.publish('ended', { callId, direction, ...outcome });
    // This gateway may have held the call before, under an earlier epoch.
    options.journal.reopen(callId, epoch);
    options.journal.append(callId, {
      type: 'call.ended',
      at: options.clock.now(),
      ...outcome,
      durationIsKnown: false,
    });
  },
});
