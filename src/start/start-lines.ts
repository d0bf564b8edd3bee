/** The telephone lines, with what they need: engines that hear and speak, recordings, trunks. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { TrunkTimes } from '#sip/drachtio/drachtio-lines.ts';
import type { ListeningNumbers } from '#sip/listening/listener.ts';
import type { Journal } from '#src/calls/journal.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Vault } from '#src/persistence/vault.ts';
import { createRecordings, type Recordings } from '#src/recordings/recordings.ts';
import { createTrunkDirectory } from '#src/trunks/trunk-directory.ts';
import { chooseLines, type ChosenLines } from './choose-lines.ts';
import { startSpeech } from './start-speech.ts';

type TrunkDirectoryOptions = Parameters<typeof createTrunkDirectory>[0];

export type StartedLines = ChosenLines & {
  recordings: Recordings;
  trunks: ReturnType<typeof createTrunkDirectory>;
};

/** What is started is ended by `started`, in the order in which it can be done without. */
export const startLines = async (
  config: Pick<Config, 'realLines' | 'simulatorSpeed' | 'dataFolder' | 'speech'>,
  options: {
    policy: {
      speechEngines: Omit<Parameters<typeof startSpeech>[1], 'clock' | 'path' | 'logger'>;
      listening: ListeningNumbers;
      trunkTimes: TrunkTimes;
      trunkLifeTimes: TrunkDirectoryOptions['times'];
    };
    database: Database;
    vault: Vault;
    publish: Journal['publish'];
    country: Country;
    clock: Clock;
    /** Runs as fast as the simulated calls do. */
    callClock: Clock;
    trunkMachineWith: TrunkDirectoryOptions['machineWith'];
    logger: Logger;
  },
  started: AsyncDisposableStack,
): Promise<StartedLines> => {
  const { policy, database, vault, country, clock, callClock, logger } = options;
  const recordings = await createRecordings({
    folder: join(config.dataFolder, 'recordings'),
    publish: options.publish,
    clock,
    logger,
  });
  started.defer(() => recordings.close());
  const speech = await startSpeech(config.speech, {
    ...policy.speechEngines,
    clock,
    path: process.env['PATH'] ?? '',
    logger,
  });
  started.defer(speech.close);
  const trunks = createTrunkDirectory({
    database,
    vault,
    times: policy.trunkLifeTimes,
    clock,
    logger,
    machineWith: options.trunkMachineWith,
  });
  const chosen = chooseLines({
    config,
    country,
    callClock,
    openRecording: recordings.begin,
    synthesizer: speech.synthesizer,
    recognizer: speech.recognizer,
    listening: policy.listening,
    trunks,
    trunkTimes: policy.trunkTimes,
    logger,
  });
  started.defer(() => chosen.lines.close());
  started.defer(() => trunks.close());
  return { ...chosen, recordings, trunks };
};
