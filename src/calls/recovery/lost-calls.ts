/**
 * What becomes of the calls that a dead process held: each is ended once, with `system_error` and an unknown duration
 * (guides/design/calls.md, "Lost calls"). The row decides: whoever ends it first has ended it, and there is one
 * `call.ended`. What becomes of their recordings, src/recordings decides.
 */
import type { Logger } from 'pino';
import { outcomeOf } from '#machines/outcome.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallRow } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import { takeFromEarlierProcess, takeFromLostNode } from '#src/persistence/held-calls.ts';
import type { CallObserver } from '../observer.ts';
import type { Journal } from '../journal/journal.ts';

export type LostCalls = {
  /**
   * For a gateway that starts: what the dead process of its name held. Resolves when all of it is written. Runs before
   * the port opens, so no reader sees a call that nobody holds.
   */
  endOwnCalls(node: string): Promise<void>;
  /** For another gateway that was found dead (src/cluster). Ends nothing when it runs again. */
  endCallsOf(node: string): Promise<void>;
};

export const createLostCalls = (options: {
  database: Database;
  journal: Journal;
  observer: Pick<CallObserver, 'ended'>;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
}): LostCalls => {
  const { database, journal, logger } = options;

  const end = (call: CallRow): void => {
    logger.warn({ call_id: call.id }, 'a call was lost with the process that held it; it is ended now');
    const outcome = outcomeOf('system_error', call.answeredAt !== null);
    options.observer.ended({ callId: call.id, direction: call.direction, ...outcome });
    journal.publish(call.id, {
      type: 'call.ended',
      at: options.clock.now(),
      ...outcome,
      durationIsKnown: false,
    });
  };

  return {
    async endOwnCalls(node) {
      for (const call of await takeFromEarlierProcess(database, node)) end(call);
      await journal.settled();
    },
    async endCallsOf(node) {
      for (const call of await takeFromLostNode(database, node)) end(call);
    },
  };
};
