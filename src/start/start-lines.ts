/** The telephone lines, with what they need: engines that hear and speak, recordings, trunks. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { TrunkTimes } from '#sip/drachtio/signalling/signalling.ts';
import type { MediaServerNumbers } from '#sip/drachtio/media/server.ts';
import type { ControlProbe } from '#sip/drachtio/signalling/connection.ts';
import type { ListeningNumbers } from '#sip/listening/listener.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import { createLegKeeper } from '#src/calls/recovery/leg-keeper.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import { createTrunkDirectory } from '#src/trunks/trunk-directory.ts';
import { chooseLines, type ChosenLines } from './choose-lines.ts';
import { createDialFromPhone } from './dial-from-phone.ts';
import { startRecordings, type RecordingNumbers } from './start-recordings.ts';
import { startSpeech, type StartedSpeech } from './start-speech.ts';

type TrunkDirectoryOptions = Parameters<typeof createTrunkDirectory>[0];

export type StartedLines = ChosenLines & {
  recordings: Recordings;
  trunks: ReturnType<typeof createTrunkDirectory>;
  /** What a number may choose from. */
  engines: StartedSpeech['engines'];
};

/** How long the end of the gateway waits for an absent database. */
const legsMs = 2_000;

/** What is started is ended by `started`, in the order in which it can be done without. */
export const startLines = async (
  config: Pick<
    Config,
    'lines' | 'realLines' | 'simulatorSpeed' | 'dataFolder' | 'speech' | 'recordings' | 'node'
  >,
  options: {
    policy: {
      speechEngines: Omit<Parameters<typeof startSpeech>[1], 'clock' | 'path' | 'logger'>;
      listening: ListeningNumbers;
      trunkTimes: TrunkTimes;
      controlProbe: ControlProbe;
      mediaServers: Omit<MediaServerNumbers, 'rtpTimeoutMs'>;
      recordings: RecordingNumbers;
      trunkLifeTimes: TrunkDirectoryOptions['times'];
      webPhones: { comeBackMs: number };
    };
    /** `undefined` for a call that is over. */
    workspaceOf: (callId: string) => string | undefined;
    database: Database;
    sealing: Sealing;
    journal: Journal;
    country: Country;
    clock: Clock;
    /** Runs as fast as the simulated calls do. */
    callClock: Clock;
    trunkMachineWith: TrunkDirectoryOptions['machineWith'];
    logger: Logger;
  },
  started: AsyncDisposableStack,
): Promise<StartedLines> => {
  const { policy, database, sealing, country, clock, callClock, logger } = options;
  const recordings = await startRecordings(config, {
    numbers: policy.recordings,
    database,
    journal: options.journal,
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
    sealing,
    times: policy.trunkLifeTimes,
    clock,
    logger,
    machineWith: options.trunkMachineWith,
  });
  const legs = createLegKeeper({ database, node: config.node, clock, logger });
  started.defer(() => legs.settled(legsMs));
  const chosen = await chooseLines({
    config,
    country,
    callClock,
    openRecording: recordings.begin,
    speech,
    listening: policy.listening,
    webPhones: {
      workspaceOf: options.workspaceOf,
      dialBy: (placeInbound) => createDialFromPhone({ placeInbound, database, country }),
      comeBackMs: policy.webPhones.comeBackMs,
      clock,
    },
    trunks,
    legs,
    trunkTimes: policy.trunkTimes,
    controlProbe: policy.controlProbe,
    mediaServers: policy.mediaServers,
    logger,
  });
  started.defer(() => chosen.lines.close());
  started.defer(() => trunks.close());
  return { ...chosen, recordings, trunks, engines: speech.engines };
};
