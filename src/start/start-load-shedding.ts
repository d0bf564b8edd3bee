/** Load measurements of this gateway, and the limits for new calls. */
import { loadLimits } from '#config/policy.ts';
import { createLoadShedding, type LoadShedding } from '#src/calls/setup/load-shedding.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import type { Foundation } from './foundation.ts';
import type { StartedJournal } from './start-journal.ts';

type Measured = { telemetry: Telemetry; journalling: Pick<StartedJournal, 'journal'> };

export const startLoadShedding = (
  { config, steadyClock, logger, started }: Pick<Foundation, 'config' | 'steadyClock' | 'logger' | 'started'>,
  { telemetry, journalling }: Measured,
): LoadShedding => {
  const { everyMs, memory, journal, delayLeft } = loadLimits;
  const shedding = createLoadShedding({
    limits: {
      event_loop: { from: config.maxDelayMs, until: config.maxDelayMs * delayLeft },
      memory,
      journal,
    },
    measures: {
      event_loop: telemetry.eventLoop.delayMs,
      memory: telemetry.memoryShare,
      journal: journalling.journal.backlog,
    },
    everyMs,
    clock: steadyClock,
    onChange({ pressure, measured, sheds }) {
      telemetry.metrics.loadShed(pressure, sheds);
      const about = { pressure, measured: Math.round(measured * 1_000) / 1_000 };
      if (sheds) logger.warn(about, 'this gateway has too much to do: it takes no more calls for now');
      else logger.info(about, 'this gateway takes calls again');
    },
  });
  started.defer(shedding.close);
  return shedding;
};
