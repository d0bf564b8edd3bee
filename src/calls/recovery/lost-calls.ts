/**
 * Ends the calls of a dead process that cannot go on: each is ended once, with `system_error` and an unknown duration
 * (guides/design/calls.md, "Lost calls"). The row decides: whoever ends it first has ended it, and there is one
 * `call.ended`. What becomes of their recordings, src/recordings decides.
 */
import type { Logger } from 'pino';
import { outcomeOf } from '#machines/outcome.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallRow } from '#src/persistence/calls.ts';
import type { CallObserver } from '../observer.ts';
import type { Journal } from '../journal/journal.ts';

export type LostCalls = {
  /** To be called by who has taken the call. Never throws. */
  end(call: CallRow): void;
};

export const createLostCalls = (options: {
  journal: Pick<Journal, 'publish'>;
  observer: Pick<CallObserver, 'ended'>;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
}): LostCalls => ({
  end({ id: callId, direction, answeredAt }) {
    options.logger.warn(
      { call_id: callId },
      'a call was lost with the process that held it; it is ended now',
    );
    const outcome = outcomeOf('system_error', answeredAt !== null);
    options.observer.ended({ callId, direction, ...outcome });
    options.journal.publish(callId, {
      type: 'call.ended',
      at: options.clock.now(),
      ...outcome,
      durationIsKnown: false,
    });
  },
});
