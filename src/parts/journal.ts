/** Journal of facts in the database, and what follows a written fact: log, metrics, summary. */
import type { Logger } from 'pino';
import { closing, journalLimits, languageModelLimits } from '#config/policy.ts';
import { createCheckpointLegs, type CheckpointLegs } from '#src/continuity/checkpoint/legs.ts';
import { createCheckpointSettings, type CheckpointSettings } from '#src/continuity/checkpoint/settings.ts';
import { createJournal, type Journal } from '#src/calls/journal/journal.ts';
import { createProgress, type Progress } from '#src/continuity/checkpoint/progress.ts';
import { callOpening } from '#src/calls/journal/opening.ts';
import { createTransitions, type Transitions } from '#src/calls/journal/transitions.ts';
import { createSummaries, type SummarizeSoFar } from '#src/calls/summaries/summaries.ts';
import { journalPlace, recordAsHolder, type RecordedFact } from '#src/persistence/calls/call-facts.ts';
import { storeProgress } from '#src/persistence/calls/call-checkpoints.ts';
import { keepTransitions } from '#src/persistence/calls/call-transitions.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import type { Runtime } from './runtime.ts';
import { createJournalClosing } from '#src/calls/journal/journal-closing.ts';
import type { OwnLanguageModel } from './agents.ts';

export type CallJournal = {
  journal: Journal;
  transitions: Transitions;
  progress: Progress;
  settings: CheckpointSettings;
  legs: CheckpointLegs;
  /** Null without a language model. */
  summarizeSoFar: SummarizeSoFar | null;
  /** Shortens the waiting of close for an unreachable database. */
  hurry(): void;
};

/** Log texts of facts; the end of a call has its own line with the reason. */
const logTextOf: Readonly<Record<string, string>> = {
  'call.answered': 'a call was answered',
  'call.taken_over': 'a call of another process was taken over',
  'call.answered_by': 'answering-machine detection finished',
  'call.hangup_requested': 'a hangup was requested',
  'call.hangup_cancelled': 'a pending hangup was cancelled: the other party spoke',
  'call.held': 'the other party put a call on hold',
  'call.resumed': 'the other party resumed a call from hold',
  'keys.pressed': 'the agent sent DTMF digits',
  'keys.failed': 'DTMF digits of the agent could not be sent',
  'call.consent': 'the other party was asked for consent',
  'call.transfer_requested': 'a transfer of a call was requested',
  'call.transfer_ringing': 'the target of a transfer is ringing',
  'call.transfer_answered': 'the target of a transfer answered and hears the briefing',
  'call.transfer_connected': 'a call was transferred',
  'call.transfer_failed': 'the transfer of a call failed',
  'call.transfer_returned': 'the transfer of a call was cancelled and the call returned to the agent',
  'say.requested': 'speech was requested in a call',
  'collect.requested': 'DTMF digits of the other party were requested',
  'language.changed': 'the agent changed the language',
  'recording.paused': 'the recording of a call was paused',
  'recording.resumed': 'the recording of a call was resumed',
};

const logFact = (logger: Logger, callId: string, fact: RecordedFact): void => {
  const news = logTextOf[fact.type];
  if (news !== undefined) logger.info({ call_id: callId }, news);
  if (fact.type === 'sound.one_way')
    logger.warn({ call_id: callId, missing: fact.missing }, 'a call has one-way audio');
  if (fact.type === 'call.ended')
    logger.info({ call_id: callId, status: fact.status, end_reason: fact.reason }, 'a call ended');
};

/** Resolves when every fact, transition and summary is written. */
export const startJournal = (
  { config, database, sealing, clock, databaseClock, callTime, bus, logger, started }: Runtime,
  { languageModel }: { languageModel: OwnLanguageModel },
): CallJournal => {
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
  const settings = createCheckpointSettings(sealing, aheadOf);
  const legs = createCheckpointLegs({
    database,
    sealing,
    node: config.node,
    epochOf: (callId) => journal.epochOf(callId),
    clock,
    logger,
  });
  const journal = createJournal({
    bus,
    write: async (callId, sequence, fact, epoch) => {
      // A receiver of the end may request the replay at once, so its transitions are written with it.
      const last = fact.type === 'call.ended' ? await transitions.unwritten(callId) : [];
      const checkpoint = fact.type === 'call.answered' ? settings.checkpointOf(callId) : null;
      const beside = { checkpoint, transitions: last, legsAreGone: legs.areGone(callId) };
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
    write: (some) => storeProgress(database.journal, some),
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
  const summaries = createSummaries({
    database,
    journal,
    summarizeByModel: languageModel.summarize,
    modelMs: languageModelLimits.summaryMs,
    clock,
    logger,
  });
  bus.subscribe('fact', ({ callId, fact }) => journal.publish(callId, fact));
  bus.subscribe('stored', ({ callId, fact, ended }) => {
    logFact(logger, callId, fact);
    if (fact.type === 'call.answered') settings.release(callId);
    if (fact.type !== 'call.ended') return;
    legs.ended(callId);
    summaries.write(callId, ended);
  });
  const end = createJournalClosing({ journal, summaries, transitions, times: closing, clock, logger });
  started.defer(end.close);
  const { soFar: summarizeSoFar } = summaries;
  return { journal, transitions, progress, settings, legs, summarizeSoFar, hurry: end.hurry };
};
