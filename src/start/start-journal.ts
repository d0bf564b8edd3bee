/** The journal of facts over the database, with what follows a written fact: log, metrics, summary. */
import type { Logger } from 'pino';
import { createFactNews, type FactNews } from '#src/calls/journal/fact-news.ts';
import { createJournal, type Journal } from '#src/calls/journal/journal.ts';
import { createTransitions, type Transitions } from '#src/calls/journal/transitions.ts';
import { createSummaries, type SummarizeByModel } from '#src/calls/summaries/summaries.ts';
import type { Clock } from '#src/domain/clock.ts';
import { lastFactSequence, recordFact } from '#src/persistence/call-facts.ts';
import { keepTransitions } from '#src/persistence/call-transitions.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Metrics } from '#src/telemetry/metrics.ts';

export type StartedJournal = {
  journal: Journal;
  transitions: Transitions;
  factNews: FactNews;
  /** Resolves when every fact and summary is written. Rejects when the database stayed away and facts are lost. */
  close(): Promise<void>;
  /** `close` waits no longer than it must. */
  hurry(): void;
};

/** Transitions are gathered for a moment, and written many at once; of a day without a database not all are kept. */
const transitionLimits = { gatherMs: 250, batch: 1_000, limit: 100_000 } as const;

/** What the log says of a fact; the end of a call has a line of its own, with its reason. */
const worthTelling: Readonly<Record<string, string>> = {
  'call.answered': 'a call was answered',
  'call.answered_by': 'it was found out who answered a call',
  'call.hangup_requested': 'a hangup was requested',
  'call.hangup_cancelled': 'a pending hangup was cancelled: the other party spoke',
  'call.held': 'a call was put on hold by the other party',
  'call.resumed': 'a call was taken back from hold',
  'keys.pressed': 'the agent pressed keys',
  'recording.paused': 'the recording of a call was paused',
  'recording.resumed': 'the recording of a call was resumed',
};

export const startJournal = (options: {
  database: Database;
  metrics: Pick<Metrics, 'factWritten'>;
  clock: Clock;
  /** Facts that may wait while the database is away. */
  limit: number;
  /** `null` without a language model. */
  summarizeByModel: SummarizeByModel | null;
  /** How long the model may take for it. */
  summaryMs: number;
  /** How long `close` waits for an absent database, and how long once it is hurried. */
  times: { journalMs: number; hurriedJournalMs: number };
  logger: Logger;
}): StartedJournal => {
  const { database, metrics, clock, limit, times, logger } = options;
  const factNews = createFactNews();
  const transitions = createTransitions({
    write: (some) => keepTransitions(database.journal, some),
    clock,
    isPassing: isTransient,
    ...transitionLimits,
    logger,
  });
  const journal: Journal = createJournal({
    write: async (callId, sequence, fact) => {
      // Who hears of the end may ask for the replay at once.
      if (fact.type === 'call.ended') await transitions.written();
      await recordFact(database.journal, callId, sequence, fact);
    },
    lastSequence: (callId) => lastFactSequence(database.journal, callId),
    onWritten(callId, fact) {
      factNews.tell(callId);
      metrics.factWritten(fact);
      const news = worthTelling[fact.type];
      if (news !== undefined) logger.info({ call_id: callId }, news);
      if (fact.type !== 'call.ended') return;
      logger.info({ call_id: callId, status: fact.status, end_reason: fact.reason }, 'a call ended');
      summaries.write(callId);
    },
    isPassing: isTransient,
    clock,
    logger,
    limit,
  });
  const summaries = createSummaries({
    database,
    journal,
    summarizeByModel: options.summarizeByModel,
    modelMs: options.summaryMs,
    clock,
    logger,
  });
  let limitMs = times.journalMs;
  let isClosing = false;
  let lost = 0;
  let timer: unknown;
  const giveUpLater = (): void => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(() => {
      lost = journal.backlog();
      journal.giveUp();
    }, limitMs);
  };
  return {
    journal,
    transitions,
    factNews,
    async close() {
      isClosing = true;
      const facts = journal.backlog();
      if (facts > 0) {
        logger.info({ facts }, `waiting for the facts of calls to be written, up to ${limitMs / 1000} s`);
      }
      giveUpLater();
      await journal.settled();
      summaries.hurry();
      await summaries.settled();
      await journal.settled();
      await transitions.close();
      clock.clearTimeout(timer);
      if (lost > 0) throw new Error(`${lost} facts of calls are lost: the database is away`);
    },
    hurry() {
      limitMs = times.hurriedJournalMs;
      if (isClosing) giveUpLater();
    },
  };
};
