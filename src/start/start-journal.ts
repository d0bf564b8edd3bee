/** Journal of facts in the database, and what follows a written fact: log, metrics, summary. */
import type { Logger } from 'pino';
import { closing, journalLimits, languageModelLimits } from '#config/policy.ts';
import { createBeginnings, type Beginnings } from '#src/calls/journal/beginnings.ts';
import { createFactNews, type FactNews } from '#src/calls/journal/fact-news.ts';
import { createJournal, type Journal } from '#src/calls/journal/journal.ts';
import { createProgress, type Progress } from '#src/calls/journal/progress.ts';
import { callOpening } from '#src/calls/journal/opening.ts';
import { createTransitions, type Transitions } from '#src/calls/journal/transitions.ts';
import { createSummaries, type SummarizeSoFar } from '#src/calls/summaries/summaries.ts';
import { journalPlace, recordAsHolder, type RecordedFact } from '#src/persistence/call-facts.ts';
import { keepProgress } from '#src/persistence/call-revivals.ts';
import { keepTransitions } from '#src/persistence/call-transitions.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import type { Foundation } from './foundation.ts';
import { createJournalClosing } from './journal-closing.ts';
import type { StartedLanguageModel } from './start-language-model.ts';

export type StartedJournal = {
  journal: Journal;
  transitions: Transitions;
  progress: Progress;
  beginnings: Beginnings;
  factNews: FactNews;
  /** Null without a language model. */
  summarizeSoFar: SummarizeSoFar | null;
  /** Shortens the waiting of close for an unreachable database. */
  hurry(): void;
};

/** Log texts of facts; the end of a call has its own line with the reason. */
const worthTelling: Readonly<Record<string, string>> = {
  'call.answered': 'a call was answered',
  'call.taken_over': 'a call goes on that another process held',
  'call.answered_by': 'it was found out who answered a call',
  'call.hangup_requested': 'a hangup was requested',
  'call.hangup_cancelled': 'a pending hangup was cancelled: the other party spoke',
  'call.held': 'a call was put on hold by the other party',
  'call.resumed': 'a call was taken back from hold',
  'keys.pressed': 'the agent pressed keys',
  'keys.failed': 'keys of the agent could not be sent',
  'call.consent': 'the other party was asked whether it agrees',
  'call.transfer_requested': 'a transfer of a call was asked for',
  'call.transfer_ringing': 'a person is rung to transfer a call to',
  'call.transfer_answered': 'a person hears what a call is about',
  'call.transfer_connected': 'a call was transferred',
  'call.transfer_failed': 'nobody was reached to transfer a call to',
  'call.transfer_returned': 'a transfer of a call was taken back',
  'say.requested': 'words were asked to be said',
  'collect.requested': 'keys of the other party were asked for',
  'language.changed': 'the agent changed the language',
  'recording.paused': 'the recording of a call was paused',
  'recording.resumed': 'the recording of a call was resumed',
};

const logFact = (logger: Logger, callId: string, fact: RecordedFact): void => {
  const news = worthTelling[fact.type];
  if (news !== undefined) logger.info({ call_id: callId }, news);
  if (fact.type === 'sound.one_way')
    logger.warn({ call_id: callId, missing: fact.missing }, 'the sound of a call goes one way alone');
  if (fact.type === 'call.ended')
    logger.info({ call_id: callId, status: fact.status, end_reason: fact.reason }, 'a call ended');
};

/** Resolves when every fact, transition and summary is written. */
export const startJournal = (
  { database, sealing, clock, databaseClock, callTime, logger, started }: Foundation,
  { telemetry, languageModel }: { telemetry: Telemetry; languageModel: StartedLanguageModel },
): StartedJournal => {
  const isPassing = isTransient;
  const transitions = createTransitions({
    opening: callOpening.state,
    write: (some) => keepTransitions(database.journal, some),
    clock,
    isPassing,
    ...journalLimits.transitions,
    logger,
  });
  const aheadOf = (callId: string): number => callTime.now(callId) - databaseClock.now();
  const beginnings = createBeginnings(sealing, aheadOf);
  const journal = createJournal({
    write: async (callId, sequence, fact, epoch) => {
      // A receiver of the end may request the replay at once, so its transitions are written with it.
      const last = fact.type === 'call.ended' ? await transitions.unwritten(callId) : [];
      const revival = fact.type === 'call.answered' ? beginnings.revivalOf(callId) : null;
      const beside = { revival, transitions: last };
      const written = await recordAsHolder(database.journal, callId, sequence, fact, epoch, beside);
      transitions.wereWritten(callId, last);
      return written;
    },
    placeOf: (callId) => journalPlace(database.journal, callId),
    isPassing,
    clock,
    logger,
    limit: journalLimits.facts,
    retry: journalLimits.retry,
  });
  const progress = createProgress({
    write: (some) => keepProgress(database.journal, some),
    epochOf: journal.epochOf,
    shiftOf: callTime.shiftOf,
    aheadOf,
    nowIn: callTime.now,
    clock,
    isPassing,
    ...journalLimits.progress,
    logger,
  });
  started.defer(progress.close);
  const factNews = createFactNews();
  const summaries = createSummaries({
    database,
    journal,
    summarizeByModel: languageModel.summarize,
    modelMs: languageModelLimits.summaryMs,
    clock,
    logger,
  });
  journal.onWritten((callId, fact, ended) => {
    factNews.tell(callId);
    telemetry.metrics.factWritten(fact);
    logFact(logger, callId, fact);
    if (fact.type === 'call.answered') beginnings.release(callId);
    if (fact.type === 'call.ended') summaries.write(callId, ended);
  });
  const end = createJournalClosing({ journal, summaries, transitions, times: closing, clock, logger });
  started.defer(end.close);
  const { soFar: summarizeSoFar } = summaries;
  return { journal, transitions, progress, beginnings, factNews, summarizeSoFar, hurry: end.hurry };
};
