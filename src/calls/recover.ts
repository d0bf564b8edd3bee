/**
 * What a restart does with the calls that the dead process of this gateway held: each is ended once, with
 * `system_error` and an unknown duration, and each recording that was still being written is declared failed (architecture 4).
 */
import type { Logger } from 'pino';
import { statusAfter } from '#machines/outcome.ts';
import { callsInProgress } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import { pendingRecordings } from '#src/persistence/recordings.ts';
import type { Journal } from './journal.ts';

/** Resolves when all of it is written. Runs before the port opens, so no reader sees a call that nobody holds. */
export const recover = async (options: {
  database: Database;
  journal: Journal;
  node: string;
  now: () => number;
  logger: Logger;
}): Promise<void> => {
  const { database, journal, node, logger } = options;
  const calls = await callsInProgress(database, node);
  for (const call of calls) {
    logger.warn({ call_id: call.id }, 'a call was lost with the process that held it; it is ended now');
    journal.publish(call.id, {
      type: 'call.ended',
      at: options.now(),
      reason: 'system_error',
      status: statusAfter('system_error', call.answeredAt !== null),
      durationIsKnown: false,
    });
  }
  await journal.settled();
  for (const { callId } of await pendingRecordings(database, node)) {
    logger.warn({ call_id: callId }, 'a recording was lost with the process that wrote it');
    journal.publish(callId, { type: 'recording.failed', at: options.now() });
  }
  await journal.settled();
};
