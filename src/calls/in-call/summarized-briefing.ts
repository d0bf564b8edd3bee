/**
 * Generates the briefing of a warm transfer from a summary of the call so far, if the request contains no briefing
 * (guides/transfer.md). The model works while the target rings; a summary that arrives after the answer is dropped.
 */
import type { Logger } from 'pino';
import type { TransferRequest } from '#machines/transfer.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { transcriptOf } from '#src/persistence/calls/transcripts.ts';
import type { CallActor } from '../live/switchboard.ts';
import type { SummarizeSoFar } from '../summaries/summaries.ts';
import { briefingOf } from './briefing.ts';

/** Adds the briefing to the call if the briefing is ready in time. Never throws. */
export type WriteBriefing = (
  actor: CallActor,
  transfer: Pick<TransferRequest, 'transferId' | 'acceptKey'>,
) => void;

const personIsAwaited = (actor: CallActor): boolean => {
  const snapshot = actor.getSnapshot();
  return (
    snapshot.matches({ active: { talking: { transferring: 'announcing' } } }) ||
    snapshot.matches({ active: { talking: { transferring: 'consulting' } } })
  );
};

/** Creates the function. `summarizeSoFar` is null without a language model. */
export const createWriteBriefing = ({
  database,
  summarizeSoFar,
  logger,
}: {
  database: Database;
  summarizeSoFar: SummarizeSoFar | null;
  logger: Logger;
}): WriteBriefing => {
  if (summarizeSoFar === null) return () => undefined;

  const write = async (
    actor: CallActor,
    { transferId, acceptKey }: Parameters<WriteBriefing>[1],
  ): Promise<void> => {
    const { callId, language } = actor.getSnapshot().context.input;
    const pickedUp = new AbortController();
    const watching = actor.subscribe(() => {
      if (!personIsAwaited(actor)) pickedUp.abort();
    });
    try {
      const turns = await transcriptOf(database, callId);
      const summary = await summarizeSoFar(callId, { language, turns }, pickedUp.signal);
      if (summary === undefined || pickedUp.signal.aborted) return;
      const briefing = briefingOf({ language, given: null, summary, acceptKey, turns });
      actor.send({ type: 'transfer.briefing_written', transferId, briefing });
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'the briefing of a transfer could not be written');
    } finally {
      watching.unsubscribe();
    }
  };

  return (actor, transfer) => void write(actor, transfer);
};
