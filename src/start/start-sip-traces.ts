/** Storage, forwarding and deletion of calls' SIP messages. */
import { sipTrace } from '#config/policy.ts';
import type { KeepSipMessage } from '#sip/drachtio/capture/sip-capture.ts';
import { createHepCollector, type HepCollector } from '#sip/hep/collector.ts';
import { createBatchWriter, type BatchWriter } from '#src/calls/journal/batch-writer.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import { deleteSipMessages, keepSipMessages, type StoredSipMessage } from '#src/persistence/sip-messages.ts';
import type { Config } from '#config/config.ts';
import type { Foundation } from './foundation.ts';
import { sweepSipMessages } from './sweep-sip-messages.ts';

/** Parts of the foundation. */
type Needed = Pick<Foundation, 'database' | 'clock' | 'logger' | 'started'> & {
  config: Pick<Config, 'sipTraceDays' | 'hep'>;
};

export type StartedSipTraces = {
  /** `null` if no trace is kept. */
  keep: KeepSipMessage | null;
  /** Lost messages since the start. */
  lost: () => number;
};

const startWriter = ({ database, clock, logger, started }: Needed): BatchWriter<StoredSipMessage> => {
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
  return writer;
};

const startCollector = ({ config, clock, logger, started }: Needed): HepCollector | null => {
  if (config.hep === null) return null;
  const collector = createHepCollector(config.hep, { ...sipTrace.collector, clock, logger });
  started.defer(collector.close);
  return collector;
};

/** Ends when waiting messages are written; does not wait for an unreachable database. */
export const startSipTraces = (foundation: Needed): StartedSipTraces => {
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
  const collector = startCollector(foundation);
  const writer = days === 0 ? null : startWriter(foundation);
  if (writer === null && collector === null) return { keep: null, lost: () => 0 };
  return {
    keep(callId, message) {
      collector?.send(message);
      return writer?.add({ callId, ...message }) ?? true;
    },
    lost: () => (writer?.lost() ?? 0) + (collector?.lost() ?? 0),
  };
};
