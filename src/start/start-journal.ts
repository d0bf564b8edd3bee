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
  /** Resolves when every fact and summary is written or given up. */
  settled(): Promise<void>;
};

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
    async settled() {
      await journal.settled();
      await summaries.settled();
      await journal.settled();
    },
  };
};
