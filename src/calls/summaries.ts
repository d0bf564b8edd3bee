/** Writes a summary when a call's end is written. Nothing waits for it (decisions 3). */
import type { Logger } from 'pino';
import { findEndedCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import type { Journal } from './journal.ts';
import { summarize } from './summarize.ts';

export type Summaries = {
  /** To be called when the end of the call is in the database. Never throws. */
  write(callId: string): void;
  /** Resolves when every summary under way is published. */
  settled(): Promise<void>;
};

export const createSummaries = (options: {
  database: Database;
  journal: Pick<Journal, 'publish'>;
  logger: Logger;
}): Summaries => {
  const { database, journal, logger } = options;
  const underWay = new Set<Promise<void>>();

  const write = async (callId: string): Promise<void> => {
    try {
      const call = await findEndedCall(database, callId);
      if (call === undefined || call.endReason === null) return;
      const turns = await transcriptOf(database, callId);
      const { language, durationSec, endReason } = call;
      journal.publish(callId, {
        type: 'call.summarized',
        summary: summarize({ language, durationSec, endReason, turns }),
      });
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'the summary of a call could not be written');
    }
  };

  return {
    write(callId) {
      const writing = write(callId).finally(() => underWay.delete(writing));
      underWay.add(writing);
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};
