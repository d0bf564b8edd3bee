/**
 * Hang-ups that were requested while no gateway held the call (guides/design/wire.md, "Hang-up"): the gateway that
 * takes over the call performs them as new requests. So does a gateway that had only lost its database session.
 */
import type { Logger } from 'pino';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  pendingHangupsOf,
  removePendingHangup,
  type PendingHangup,
} from '#src/persistence/calls/pending-hangups.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { InCallRequests } from '#src/calls/in-call/in-call-requests.ts';

export type PendingHangUps = {
  /**
   * Performs stored hang-ups of calls on this gateway. Hang-ups that are not possible yet are kept for the next run.
   * Never rejects.
   */
  perform(): Promise<void>;
};

export const createPendingHangUps = (options: {
  database: Database;
  node: string;
  performHere: InCallRequests['performHere'];
  journal: Pick<Journal, 'written'>;
  logger: Logger;
}): PendingHangUps => {
  const { database, node, performHere, journal, logger } = options;

  /** Whether the hang-up is complete. */
  const isDone = async ({ callId, numberId, action }: PendingHangup): Promise<boolean> => {
    try {
      await performHere({ callId, numberId, action });
    } catch (error) {
      // After any other refusal the hang-up waits: the call is being taken over, or its lines are down.
      if (error instanceof Refusal) return error.code === 'call_not_active';
      throw error;
    }
    // Deletes the stored hang-up only after the end is written; a crash could lose it otherwise.
    await journal.written(callId);
    logger.info({ call_id: callId }, 'performed a hang-up that was requested while no gateway held the call');
    return true;
  };

  const performAll = async (): Promise<void> => {
    for (const pending of await pendingHangupsOf(database, node))
      if (await isDone(pending)) await removePendingHangup(database, pending);
  };

  const performing = createCoalescedTask(() =>
    performAll().catch((error: unknown) => logger.warn({ err: error }, 'pending hang-ups could not be read')),
  );

  return { perform: performing.run };
};
