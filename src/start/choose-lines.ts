/** The lines that carry the calls of this gateway: the simulated network, or real servers. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import { createDrachtioLines, type TrunkTimes } from '#sip/drachtio/drachtio-lines.ts';
import type { Lines } from '#sip/lines.ts';
import type { OpenRecording } from '#sip/recording.ts';
import { createSimulatorLines, type SimulatorLines } from '#sip/simulator/simulator-lines.ts';
import type { ListeningNumbers } from '#sip/listening/listener.ts';
import type { Recognizer, Synthesizer } from '#sip/speech.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';

export type ChosenLines = {
  lines: Lines;
  /** `null` where the lines are real. */
  simulator: SimulatorLines | null;
  /** Since the start, by what was wrong. */
  refusedCallers: () => Readonly<Record<string, number>>;
};

export const chooseLines = (options: {
  config: Pick<Config, 'realLines' | 'simulatorSpeed'>;
  country: Country;
  /** Runs as fast as the simulated calls do. */
  callClock: Clock;
  openRecording: OpenRecording;
  synthesizer: Synthesizer;
  /** `null`: what is said on real lines is not understood. */
  recognizer: Recognizer | null;
  listening: ListeningNumbers;
  trunks: TrunkDirectory;
  trunkTimes: TrunkTimes;
  logger: Logger;
}): ChosenLines => {
  const { config, country, callClock, openRecording, synthesizer, recognizer, listening, logger } = options;
  const { trunks, trunkTimes } = options;
  if (config.realLines !== null) {
    const { drachtio, freeSwitch, trunkAddress, trunkNumbers, media } = config.realLines;
    const lines = createDrachtioLines({
      drachtio,
      freeSwitch,
      trunk: trunkAddress === null ? null : { address: trunkAddress, numbers: trunkNumbers },
      trunks,
      trunkTimes,
      media,
      country,
      synthesizer,
      recognizer,
      listening,
      openRecording,
      clock: callClock,
      logger,
    });
    return { lines, simulator: null, refusedCallers: lines.refusedCallers };
  }
  const simulator = createSimulatorLines({
    clock: callClock,
    speed: config.simulatorSpeed,
    logger,
    openRecording,
    synthesizer,
  });
  return { lines: simulator, simulator, refusedCallers: () => ({}) };
};

/** Why the lines cannot carry calls, as a plain sentence; `undefined` when they can. */
export const whyDown = (lines: Lines): string | undefined => {
  const health = lines.health();
  return health.ready ? undefined : health.detail;
};
