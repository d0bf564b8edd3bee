/**
 * What a restart does with the calls that the dead process of this gateway held: each is ended once, with
 * `system_error` and an unknown duration (architecture 4). What becomes of their recordings, src/recordings decides.
 */
import type { Logger } from 'pino';
import { statusAfter } from '#machines/outcome.ts';
import { callsInProgress } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import type { CallWitness } from './call-witness.ts';
import type { Journal } from './journal.ts';

/** Resolves when all of it is written. Runs before the port opens, so no reader sees a call that nobody holds. */
export const recover = async (options: {
  database: Database;
  journal: Journal;
  witness: Pick<CallWitness, 'ended'>;
  node: string;
  now: () => number;
  logger: Logger;
}): Promise<void> => {
  const { database, journal, node, logger } = options;
  const calls = await callsInProgress(database, node);
  for (const call of calls) {
    logger.warn({ call_id: call.id }, 'a call was lost with the process that held it; it is ended now');
    const reason = 'system_error';
    const status = statusAfter(reason, call.answeredAt !== null);
    options.witness.ended({ callId: call.id, direction: call.direction, status, reason });
    journal.publish(call.id, {
      type: 'call.ended',
      at: options.now(),
      reason,
      status,
      durationIsKnown: false,
    });
  }
  await journal.settled();
};
