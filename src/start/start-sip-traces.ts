/** Where the SIP messages of calls are kept, and how they are swept away again. */
import { sipTrace } from '#config/policy.ts';
import type { KeepSipMessage } from '#sip/drachtio/ladder/ladders.ts';
import { createBatchWriter } from '#src/calls/journal/batch-writer.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import { deleteSipMessages, keepSipMessages, type StoredSipMessage } from '#src/persistence/sip-messages.ts';
import type { Foundation } from './foundation.ts';
import { sweepSipMessages } from './sweep-sip-messages.ts';

export type StartedSipTraces = {
  /** `null` where none are kept. */
  keep: KeepSipMessage | null;
  /** How many are lost, since the start. */
  lost: () => number;
};

/** Ends when what waits is written; a database that is away is not waited for. */
export const startSipTraces = (foundation: Foundation): StartedSipTraces => {
  const { config, database, clock, logger, started } = foundation;
  const { sipTraceDays: days } = config;
  const sweeping = sweepSipMessages({
    remove: (range) => deleteSipMessages(database, range),
    days,
    ...sipTrace.sweeping,
    clock,
    logger,
  });
  started.defer(sweeping.close);
  if (days === 0) return { keep: null, lost: () => 0 };
  const writer = createBatchWriter<StoredSipMessage>({
    what: 'SIP messages of calls',
    write: (some) => keepSipMessages(database.journal, some),
    isPassing: isTransient,
    weightOf: ({ text }) => text.length,
    ...sipTrace.writing,
    clock,
    logger,
  });
  started.defer(writer.close);
  return { keep: (callId, message) => writer.add({ callId, ...message }), lost: writer.lost };
};
