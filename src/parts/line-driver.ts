/** Chooses the line driver: simulated network or real servers. */
import type { Config } from '#config/config.ts';
import {
  controlProbe,
  inboundAccess,
  listening,
  mediaServers,
  sipTrace,
  trunkTimes,
  webPhones,
} from '#config/policy.ts';
import type { MediaServerState } from '#sip/freeswitch/media-servers.ts';
import type { KeepSipMessage } from '#sip/drachtio/capture/sip-capture.ts';
import type { LegStore } from '#sip/drachtio/resume/leg-tracker.ts';
import type { TurnModel } from '#sip/audio/listening/turn-end/model-ends.ts';
import { loadVoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import { mediaMeansFor } from '#sip/audio/media-means.ts';
import { createNoLines, type Lines } from '#sip/lines.ts';
import type { OpenRecording, Overhear } from '#sip/audio/recording-sink.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { createSimulatorLines, type SimulatorLines } from '#sip/simulator/simulator-lines.ts';
import type { SpeechEngines } from '#sip/audio/speech.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import { createWebPhones, type Dial, type WebPhones } from '#sip/webphone/web-phones.ts';
import { languages } from '#src/domain/language.ts';
import type { Health } from '#src/api/api-services.ts';
import { createTrunkLoad } from '#src/persistence/trunks/trunk-channels.ts';
import { createDialFromPhone } from './simulator.ts';
import type { Runtime } from './runtime.ts';

export type ChosenLines = {
  lines: Lines;
  /** `null` with real lines, like `webPhones`. */
  simulator: SimulatorLines | null;
  webPhones: { phones: WebPhones; dial: Dial } | null;
  /** Since the start, by reason. */
  refusedCallers: () => Readonly<Record<string, number>>;
  /** Empty with simulated lines. */
  mediaServers: () => readonly MediaServerState[];
  /** Far ends of a dead node; empty with simulated lines, whose far ends die with it. */
  endLegsOf: (node: string) => Promise<void>;
};

/** Dependencies of lines besides the runtime. */
export type LineParts = {
  speech: SpeechEngines;
  turnModel: TurnModel | null;
  openRecording: OpenRecording;
  overhear: Overhear;
  trunks: TrunkDirectory;
  legs: LegStore;
  /** `null` if no trace is kept. */
  keepSipMessage: KeepSipMessage | null;
  /** `undefined` for an ended call. */
  workspaceOf: (callId: string) => string | undefined;
};

/** Parts of a driver without external servers. */
const withoutServers = {
  simulator: null,
  webPhones: null,
  refusedCallers: () => ({}),
  mediaServers: () => [],
  endLegsOf: async () => {},
} as const;

const realLines = async (
  { country, database, callClock: clock, logger, config: { node } }: Runtime,
  { speech, turnModel, openRecording, overhear, trunks, legs, keepSipMessage }: LineParts,
  config: NonNullable<Config['realLines']>,
): Promise<ChosenLines> => {
  const { drachtio, freeSwitches, trunkAddress, mediaHost, rtp, rtpTimeoutMs, minIdleCpu } = config;
  const { trunkNumbers: numbers, trunkMedia: media, trunkCodecs: codecs } = config;
  const { trunkHeadersIn: headersIn, trunkHeadersOut: headersOut } = config;
  const { trunkRefer: refer, trunkAcceptRefer: acceptRefer } = config;
  // SIP and FreeSWITCH modules are imported only when used: other starts are faster without them.
  const { createDrachtioLines } = await import('#sip/drachtio/drachtio-lines.ts');
  const lines = createDrachtioLines({
    drachtio,
    freeSwitches,
    controlProbe,
    mediaServers: { ...mediaServers, rtpTimeoutMs, minIdleCpu },
    trunk:
      trunkAddress === null
        ? null
        : { address: trunkAddress, numbers, media, codecs, headersIn, headersOut, refer, acceptRefer },
    trunks,
    legs,
    trunkLoad: createTrunkLoad(database, node),
    trunkTimes,
    inboundAccess,
    mediaHost,
    rtp,
    country,
    speech,
    listening,
    openDetector: await loadVoiceDetector(),
    turnModel,
    resample: await loadResampler(),
    sipMessages: keepSipMessage && { keep: keepSipMessage, limits: sipTrace.limits },
    openRecording,
    overhear,
    clock,
    logger,
  });
  const { refusedCallers, mediaServers: states, endLegsOf } = lines;
  return { lines, simulator: null, webPhones: null, refusedCallers, mediaServers: states, endLegsOf };
};

const simulatedLines = async (
  { config, database, country, clock, callClock, logger }: Runtime,
  { speech, turnModel, openRecording, overhear, workspaceOf }: LineParts,
): Promise<ChosenLines> => {
  const { comeBackMs } = webPhones;
  const resample = await loadResampler();
  // Speech audio is produced in real time.
  const usualChoice = { recognizer: null, synthesizer: null, voice: null };
  const carriesSound = speech.recognizerFor(usualChoice) !== null && config.simulatorSpeed === 1;
  const means = carriesSound && {
    speech,
    resample,
    openDetector: await loadVoiceDetector(),
    openRecording,
    overhear,
    listening,
    turnModel,
  };
  const sound = carriesSound ? webPhones.sound : null;
  const understood = languages.filter((language) => speech.recognizerFor(usualChoice, language) !== null);
  const isLimited = understood.length < languages.length;
  const phones = createWebPhones({
    workspaceOf,
    comeBackMs,
    sound,
    ...(isLimited ? { understood } : {}),
    clock,
    logger,
  });
  const simulator = createSimulatorLines({
    clock: callClock,
    speed: config.simulatorSpeed,
    answering: listening.answering,
    logger,
    recording: { open: openRecording, speech, resample },
    mediaFor: means && ((input) => mediaMeansFor(input, means)),
    workspaceOf,
    anybody: phones.partyFor,
  });
  const dial = createDialFromPhone({ placeInbound: simulator.placeInbound, database, country });
  return { ...withoutServers, lines: simulator, simulator, webPhones: { phones, dial } };
};

export const chooseLines = async (runtime: Runtime, parts: LineParts): Promise<ChosenLines> => {
  const { config } = runtime;
  if (config.lines === 'none') return { ...withoutServers, lines: createNoLines() };
  return config.realLines === null
    ? simulatedLines(runtime, parts)
    : realLines(runtime, parts, config.realLines);
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
