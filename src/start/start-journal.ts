/** The journal of facts over the database, with what follows a written fact: log, metrics, summary. */
import type { Logger } from 'pino';
import { createJournal, type Journal } from '#src/calls/journal.ts';
import type { LiveCalls } from '#src/calls/live-calls.ts';
import { createSummaries } from '#src/calls/summaries.ts';
import type { Clock } from '#src/domain/clock.ts';
import { lastFactSequence, recordFact } from '#src/persistence/call-facts.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import type { Database } from '#src/persistence/database.ts';
import { createMetrics, type Metrics } from './metrics.ts';

export type StartedJournal = {
  journal: Journal;
  metrics: Metrics;
  /** Resolves when every fact and summary is written. Rejects when the database stayed away and facts are lost. */
  close(): Promise<void>;
};

/** How long the end of the gateway waits for an absent database. */
const closeMs = 5_000;

export const startJournal = (options: {
  database: Database;
  liveCalls: LiveCalls;
  clock: Clock;
  /** Facts that may wait while the database is away. */
  limit: number;
  logger: Logger;
}): StartedJournal => {
  const { database, liveCalls, clock, limit, logger } = options;
  const journal: Journal = createJournal({
    write: async (callId, sequence, fact) => {
      await recordFact(database, callId, sequence, fact);
    },
    lastSequence: (callId) => lastFactSequence(database, callId),
    onWritten(callId, fact) {
      if (fact.type !== 'call.ended') return;
      logger.info({ call_id: callId, status: fact.status, end_reason: fact.reason }, 'a call ended');
      metrics.callEnded(fact.status, fact.reason);
      summaries.write(callId);
    },
    isPassing: isTransient,
    clock,
    logger,
    limit,
  });
  const summaries = createSummaries({ database, journal, logger });
  const metrics = createMetrics({ callsInProgress: liveCalls.count, factsWaiting: journal.backlog });
  return {
    journal,
    metrics,
    async close() {
      let lost = 0;
      const limit = clock.setTimeout(() => {
        lost = journal.backlog();
        journal.giveUp();
      }, closeMs);
      await journal.settled();
      await summaries.settled();
      await journal.settled();
      clock.clearTimeout(limit);
      if (lost > 0) throw new Error(`${lost} facts of calls are lost: the database is away`);
    },
  };
};
