/** The lines that carry the calls of this gateway: the simulated network, or real servers. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { TrunkTimes } from '#sip/drachtio/signalling/signalling.ts';
import type { MediaServerNumbers } from '#sip/drachtio/media/server.ts';
import type { MediaServerState } from '#sip/drachtio/media/servers.ts';
import type { LegStore } from '#sip/drachtio/signalling/leg-tracker.ts';
import type { ControlProbe } from '#sip/drachtio/signalling/connection.ts';
import { loadVoiceDetector } from '#sip/listening/voice-detector.ts';
import { createNoLines, type Lines } from '#sip/lines.ts';
import type { OpenRecording } from '#sip/recording.ts';
import { loadResampler } from '#sip/resampler.ts';
import { createSimulatorLines, type SimulatorLines } from '#sip/simulator/simulator-lines.ts';
import type { ListeningNumbers } from '#sip/listening/listener.ts';
import type { SpeechEngines } from '#sip/speech.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import { createWebPhones, type WebPhones, type WebPhonesOptions } from '#sip/webphone/web-phones.ts';
import type { Health } from '#src/api/api-services.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';

export type ChosenLines = {
  lines: Lines;
  /** `null` where the lines are not simulated, as `phones`. */
  simulator: SimulatorLines | null;
  phones: WebPhones | null;
  /** Since the start, by what was wrong. */
  refusedCallers: () => Readonly<Record<string, number>>;
  /** None with the simulated lines. */
  mediaServers: () => readonly MediaServerState[];
  /** Of a node that has died; nothing with the simulated lines, whose far ends die with it. */
  endLegsOf: (node: string) => Promise<void>;
};

export const chooseLines = async (options: {
  config: Pick<Config, 'lines' | 'realLines' | 'simulatorSpeed'>;
  country: Country;
  /** Runs as fast as the simulated calls do. */
  callClock: Clock;
  openRecording: OpenRecording;
  speech: SpeechEngines;
  listening: ListeningNumbers;
  webPhones: Omit<WebPhonesOptions, 'dial' | 'logger'> & {
    dialBy: (placeInbound: SimulatorLines['placeInbound']) => WebPhonesOptions['dial'];
  };
  trunks: TrunkDirectory;
  legs: LegStore;
  trunkTimes: TrunkTimes;
  controlProbe: ControlProbe;
  mediaServers: Omit<MediaServerNumbers, 'rtpTimeoutMs'>;
  logger: Logger;
}): Promise<ChosenLines> => {
  const { config, country, callClock, openRecording, speech, listening, logger } = options;
  const { trunks, trunkTimes } = options;
  if (config.lines === 'none') {
    return {
      lines: createNoLines(),
      simulator: null,
      phones: null,
      refusedCallers: () => ({}),
      mediaServers: () => [],
      endLegsOf: async () => {},
    };
  }
  if (config.realLines !== null) {
    const { drachtio, freeSwitches, trunkAddress, trunkNumbers, media, rtpTimeoutMs } = config.realLines;
    // SIP and FreeSWITCH are read from the disk only where they are spoken: every other start is quicker without.
    const { createDrachtioLines } = await import('#sip/drachtio/drachtio-lines.ts');
    const lines = createDrachtioLines({
      drachtio,
      freeSwitches,
      controlProbe: options.controlProbe,
      mediaServers: { ...options.mediaServers, rtpTimeoutMs },
      trunk: trunkAddress === null ? null : { address: trunkAddress, numbers: trunkNumbers },
      trunks,
      legs: options.legs,
      trunkTimes,
      media,
      country,
      speech,
      listening,
      openDetector: await loadVoiceDetector(),
      resample: await loadResampler(),
      openRecording,
      clock: callClock,
      logger,
    });
    const { refusedCallers, mediaServers, endLegsOf } = lines;
    return { lines, simulator: null, phones: null, refusedCallers, mediaServers, endLegsOf };
  }
  const simulator = createSimulatorLines({
    clock: callClock,
    speed: config.simulatorSpeed,
    answering: listening.answering,
    logger,
    recording: { open: openRecording, speech, resample: await loadResampler() },
    workspaceOf: options.webPhones.workspaceOf,
    anybody: (input) => phones.partyFor(input),
  });
  const { dialBy, ...webPhones } = options.webPhones;
  const phones = createWebPhones({ ...webPhones, dial: dialBy(simulator.placeInbound), logger });
  return {
    lines: simulator,
    simulator,
    phones,
    refusedCallers: () => ({}),
    mediaServers: () => [],
    endLegsOf: async () => {},
  };
};

export const healthOf = (lines: Lines): Pick<Health, 'whyLinesAreDown' | 'whatIsDown'> => ({
  whyLinesAreDown() {
    const health = lines.health();
    return health.ready ? undefined : health.detail;
  },
  whatIsDown() {
    const health = lines.health();
    return health.ready ? health.warning : undefined;
  },
});
