/** Telephony: the line driver (real servers or the simulated network), speech, trunks, SIP traces, stored far ends. */
import {
  speechEngines,
  trunkLifeTimes,
  turnModelLimits,
  sipTrace,
  controlProbe,
  inboundAccess,
  listening,
  mediaServers,
  shortestParkSec,
  trunkTimes,
  webPhones,
} from '#config/policy.ts';
import type { TurnModel } from '#sip/audio/listening/turn-end/model-ends.ts';
import type { Checkpoints } from '#src/continuity/checkpoint/checkpoints.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Engines } from '#src/administration/choose-speech.ts';
import { createTrunkDirectory, type TrunkDirectory } from '#src/trunks/trunk-directory.ts';
import { sharedLines, type Cluster } from './cluster.ts';
import type { Runtime } from './runtime.ts';
import type { Outgoing } from './outgoing.ts';
import { startSpeech, type Speech } from './speech.ts';
import { languageModelsOf } from '#src/administration/choose-model.ts';
import type { KeepSipMessage } from '#sip/drachtio/capture/sip-capture.ts';
import { createHepCollector, type HepCollector } from '#sip/hep/collector.ts';
import { createBatchWriter, type BatchWriter } from '#src/calls/journal/batch-writer.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import {
  deleteSipMessages,
  keepSipMessages,
  type StoredSipMessage,
} from '#src/persistence/calls/sip-messages.ts';
import type { Config } from '#config/config.ts';
import { sweepSipMessages } from '#src/housekeeping/old-sip-messages.ts';
import { parseScript, type Role, type Script } from '#sip/simulator/script.ts';
import type { Rehearsal } from '#sip/simulator/script-watch.ts';
import type { SimulatorLines, SimulatorLinesOptions } from '#sip/simulator/simulator-lines.ts';
import type { Person } from '#sip/simulator/transferring.ts';
import type { Simulator, Health } from '#src/api/api-services.ts';
import { withoutModel, type PlayPersona } from '#src/domain/persona.ts';
import type { ListedCallee, ScriptRehearsal } from '#src/domain/simulated-callee.ts';
import { loadPatterns } from '#src/domain/said-pattern.ts';
import { takenHeaders, type SipHeaders } from '#src/domain/sip-headers.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import { findCall } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  createSimulatedCalleeSearch,
  deleteSimulatedCallee,
  findSimulatedCallee,
  listSimulatedCallees,
  putSimulatedCallee,
} from '#src/persistence/workspaces/simulated-callees.ts';
import { trunkHeadersOf } from '#src/persistence/trunks/trunks.ts';
import type { Dial, WebPhones } from '#sip/webphone/web-phones.ts';
import { normalizePhoneNumber, type Country } from '#src/domain/phone-number.ts';
import type { OrphanLeg } from '#src/domain/sip-leg.ts';
import type { MediaServerState } from '#sip/freeswitch/media-servers.ts';
import { loadVoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import { mediaMeansFor } from '#sip/audio/media-means.ts';
import { createNoLines, type Lines } from '#sip/lines.ts';
import { startThreadEarly } from '#sip/media-thread/media-thread.ts';
import type { OpenRecording, Overhear } from '#sip/audio/recording-sink.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { SpeechEngines } from '#sip/audio/speech.ts';
import { languages } from '#src/domain/language.ts';
import { createTrunkLoad } from '#src/persistence/trunks/trunk-channels.ts';

type ChosenLines = {
  lines: Lines;
  /** The simulator; `null` with real lines, which have no web phones either. */
  simulator: SimulatorLines | null;
  webPhones: { phones: WebPhones; dial: Dial } | null;
  /** Returns the numbers of rejected arrivals since the start, by reason. */
  refusedCallers: () => Readonly<Record<string, number>>;
  /** Returns the state of media servers; empty with simulated lines. */
  mediaServers: () => readonly MediaServerState[];
  /** Refuses messages of a gateway that was declared dead; does nothing without the relay. */
  disown: (node: string) => Promise<void>;
  /** Ends the far ends of a dead node; does nothing with simulated lines, whose far ends end with the node. */
  endLegsOf: (node: string) => Promise<void>;
  /** Ends these far ends; does nothing with simulated lines. */
  endLegs: (legs: readonly OrphanLeg[]) => void;
};

/** Dependencies of lines besides the runtime. */
type LineParts = {
  speech: SpeechEngines;
  turnModel: TurnModel | null;
  openRecording: OpenRecording;
  overhear: Overhear;
  trunks: TrunkDirectory;
  checkpoints: Pick<Checkpoints, 'lineChanged' | 'farEndChanged' | 'orphans'>;
  /** Whether this gateway could resume a call of an earlier process. */
  isResumed: (callId: string) => boolean;
  /** Storage of SIP messages; `null` if messages are not stored. */
  keepSipMessage: KeepSipMessage | null;
  /** Called when the relay has lost its connection with another gateway. */
  onNodeLost: (node: string) => void;
  /** See `DrachtioLinesOptions`. */
  onCutOff: (callIds: readonly string[], isCutOff: () => boolean) => Promise<void>;
  /** Returns the workspace of a call; `undefined` for an ended call. */
  workspaceOf: (callId: string) => string | undefined;
  playPersona: PlayPersona | null;
};

/** Parts of a driver without external servers. */
const withoutServers = {
  simulator: null,
  webPhones: null,
  refusedCallers: () => ({}),
  mediaServers: () => [],
  disown: async () => {},
  endLegsOf: async () => {},
  endLegs() {},
} as const;

/** Starts the media thread of real lines, which `started` owns. */
export const beginMediaThread = (
  { realLines: lines }: Pick<Config, 'realLines'>,
  started: AsyncDisposableStack,
): Runtime['startMediaThread'] => {
  if (lines === null) return null;
  const { startThread, end } = startThreadEarly(lines.rtp.ports);
  started.defer(async () => {
    await end();
  });
  return startThread;
};

const realLines = async (
  { country, database, bus, callClock: clock, fence, startMediaThread, logger, config: { node } }: Runtime,
  { speech, turnModel, openRecording, overhear, trunks, keepSipMessage, onNodeLost, ...parts }: LineParts,
  config: NonNullable<Config['realLines']>,
): Promise<ChosenLines> => {
  const { drachtio, freeSwitches, trunkAddress, mediaHost, rtp, rtpTimeoutMs, minIdleCpu } = config;
  const { trunkNumbers: numbers, trunkMedia: media, trunkCodecs: codecs } = config;
  const { trunkHeadersIn: headersIn, trunkHeadersOut: headersOut } = config;
  const { trunkRefer: refer, trunkAcceptRefer: acceptRefer } = config;
  // Modules for SIP and FreeSWITCH are imported only when they are used, which makes other starts faster.
  const { createDrachtioLines } = await import('#sip/drachtio/drachtio-lines.ts');
  const lines = createDrachtioLines({
    drachtio,
    ...(config.isByRelay ? { relay: { node, onNodeLost } } : {}),
    freeSwitches,
    controlProbe,
    mediaServers: { ...mediaServers, rtpTimeoutMs, minIdleCpu, shortestParkSec },
    trunk:
      trunkAddress === null
        ? null
        : { address: trunkAddress, numbers, media, codecs, headersIn, headersOut, refer, acceptRefer },
    trunks,
    onCheckpoint: (callId) => parts.checkpoints.lineChanged(callId, lines.checkpoint(callId).legs),
    onTaken(callId) {
      logger.warn({ call_id: callId }, 'another gateway has taken over a call, which this one releases');
      bus.publish('taken', { callId });
    },
    onCutOff: parts.onCutOff,
    readOrphans: (node) => parts.checkpoints.orphans(parts.isResumed, node),
    trunkLoad: createTrunkLoad(database, node),
    trunkTimes,
    inboundAccess,
    mediaHost,
    rtp,
    ...(startMediaThread === null ? {} : { startMediaThread }),
    country,
    speech,
    listening,
    openDetector: await loadVoiceDetector(),
    turnModel,
    resample: await loadResampler(),
    sipMessages: keepSipMessage && { keep: keepSipMessage, limits: sipTrace.limits },
    openRecording,
    overhear,
    fence,
    clock,
    logger,
  });
  const { refusedCallers, mediaServers: states, disown, endLegsOf, endLegs } = lines;
  const ofServers = { refusedCallers, mediaServers: states, disown, endLegsOf, endLegs };
  return { lines, simulator: null, webPhones: null, ...ofServers };
};

const simulatedLines = async (
  { config, database, country, clock, callClock, logger }: Runtime,
  { speech, turnModel, openRecording, overhear, checkpoints, workspaceOf, playPersona }: LineParts,
): Promise<ChosenLines> => {
  // Imported only when they are used, like those of real lines.
  const { createSimulatorLines } = await import('#sip/simulator/simulator-lines.ts');
  const { createWebPhones } = await import('#sip/webphone/web-phones.ts');
  const { comeBackMs, resumeMs } = webPhones;
  const resample = await loadResampler();
  // Audio is produced only in real time, so an accelerated simulator carries none.
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
    resumeMs,
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
    findCallee: findCalleesIn(database),
    anybody: phones.partyFor,
    resumePhone: phones.resume,
    openRehearsal,
    playPersona,
    onCheckpoint: (callId) => checkpoints.farEndChanged(callId, simulator.checkpoint(callId).farEnd),
  });
  const dial = createDialFromPhone({ placeInbound: simulator.placeInbound, database, country });
  return { ...withoutServers, lines: simulator, simulator, webPhones: { phones, dial } };
};

/** Chooses the line driver: simulated network or real servers. */
const chooseLines = async (runtime: Runtime, parts: LineParts): Promise<ChosenLines> => {
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

/** Caller number of a web phone. */
const ownNumber = '01055559999';

/** Places calls from a web phone, only to numbers of its own workspace. */
const createDialFromPhone =
  (options: { placeInbound: SimulatorLines['placeInbound']; database: Database; country: Country }): Dial =>
  async ({ workspaceId, to, partyFor }) => {
    const digits = normalizePhoneNumber(to, options.country);
    const number = digits === undefined ? undefined : await findNumberByDigits(options.database, digits);
    if (number?.workspace.id !== workspaceId) return { accepted: false, because: 'number_not_found' };
    const call = { to: number.number, from: ownNumber, script: null, partyFor };
    const { verdict } = await options.placeInbound(call);
    if (verdict.accepted) return verdict;
    const { because } = verdict;
    return { accepted: false, because: because === 'unknown_number' ? 'number_not_found' : because };
  };

/** A validated script. */
const parsed = (steps: readonly unknown[], role: Role): Script => {
  const { script, errors } = parseScript(steps, role);
  if (script === undefined) throw new Error(`A script was not checked: ${errors[0]?.message}`);
  return script;
};

/** Accepts headers that any trunk of the number accepts, because a simulated caller uses no trunk. */
const takenBySomeTrunk = async (
  database: Database,
  number: string,
  headers: SipHeaders,
): Promise<SipHeaders | null> => {
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const trunks = await trunkHeadersOf(database, number, null);
  const names = trunks.flatMap(({ headersIn }) => headersIn);
  return takenHeaders((name) => given.get(name.toLowerCase()), names);
};

const personWho = {
  accepts: 'accepting',
  declines: 'declining',
  busy: { isNotReached: 'busy' },
  no_answer: 'absent',
} as const satisfies Record<string, Person>;

const openRehearsal = async (settings: ScriptRehearsal): Promise<Rehearsal> => ({
  settings,
  stepTimeoutMs: settings.stepTimeoutSec * 1_000,
  readPattern: await loadPatterns(),
  people: new Map(Object.entries(settings.people ?? {}).map(([number, does]) => [number, personWho[does]])),
});

/** Maximum number of callees with a script in the list. */
const mostListedCallees = 200;

/** Callees of the simulated network that have a script, in the database. */
const findCalleesIn = (database: Database): NonNullable<SimulatorLinesOptions['findCallee']> => {
  const find = createSimulatedCalleeSearch(database);
  return async (number, workspaceId) => {
    const callee = workspaceId === undefined ? undefined : await find({ workspaceId, number });
    if (callee === undefined) return undefined;
    return {
      script: parsed(callee.script, 'callee'),
      rehearsal: callee.rehearsal === null ? undefined : await openRehearsal(callee.rehearsal),
    };
  };
};

/** Callers and callees of the simulated network, for the admin API. */
export const createSimulatedPeople = (
  lines: Pick<SimulatorLines, 'placeInbound' | 'scriptProgress' | 'knownCallees'>,
  database: Database,
  {
    node,
    scriptProgressAt,
    hasModel,
  }: { node: string; scriptProgressAt: Cluster['scriptProgressAt']; hasModel: boolean },
): Simulator => ({
  async checkScript(steps, role) {
    const { script, errors } = parseScript(steps, role, await loadPatterns());
    if (errors !== undefined) return errors;
    const step = script.findIndex((one) => 'persona' in one);
    return hasModel || step === -1 ? [] : [{ step, message: withoutModel }];
  },
  async receiveSimulatedCall({ workspaceId, to, from, script, sipHeaders, rehearsal, agent }) {
    const number = await findNumberByDigits(database, to);
    if (number === undefined || number.workspace.id !== workspaceId) {
      throw new Refusal('number_not_found', 'This workspace has no such number.');
    }
    const { callId, verdict } = await lines.placeInbound({
      to,
      from,
      sipHeaders: sipHeaders === undefined ? null : await takenBySomeTrunk(database, to, sipHeaders),
      script: script === null ? null : parsed(script, 'caller'),
      ...(rehearsal === undefined ? {} : { rehearsal: await openRehearsal(rehearsal) }),
      agent,
    });
    if (!verdict.accepted && verdict.because === 'draining') {
      throw new Refusal('draining', 'This gateway is shutting down and takes no new calls.');
    }
    if (!verdict.accepted && verdict.because === 'concurrency_limit') {
      throw new Refusal(
        'concurrency_limit',
        'The call was not taken: the number or the workspace has all the calls that it may have.',
      );
    }
    if (!verdict.accepted && verdict.because === 'over_capacity') {
      throw new Refusal('over_capacity', 'This gateway cannot take another call right now.');
    }
    const call = await findCall(database, { callId, workspaceId });
    if (call === undefined) throw new Error('A simulated call arrived and left no row');
    return { callId, status: call.status, endReason: call.endReason };
  },
  defineCallee: (workspaceId, number, { script, rehearsal }) =>
    putSimulatedCallee(database, { workspaceId, number, script: parsed(script, 'callee'), rehearsal }),
  findCallee: (workspaceId, number) => findSimulatedCallee(database, { workspaceId, number }),
  async listCallees(workspaceId) {
    const withScript = await listSimulatedCallees(database, { workspaceId, limit: mostListedCallees });
    // The script of a workspace replaces the known callee of the same number.
    const callees = new Map<string, ListedCallee>(
      [...lines.knownCallees].map(([number, behaviour]) => [number, { number, behaviour, steps: null }]),
    );
    for (const { number, script } of withScript)
      callees.set(number, { number, behaviour: 'script', steps: script.length });
    return [...callees.values()].toSorted((one, other) => (one.number < other.number ? -1 : 1));
  },
  deleteCallee: (workspaceId, number) => deleteSimulatedCallee(database, { workspaceId, number }),
  async scriptProgress({ id: callId, node: holder }) {
    const here = lines.scriptProgress(callId);
    if (here !== undefined || holder === node) return here;
    try {
      return await scriptProgressAt(holder, callId);
    } catch (cause) {
      const detail = 'The gateway that plays the script could not be reached just now; try once more.';
      throw new Refusal('service_unavailable', detail, { cause });
    }
  },
});

/** Parts of the runtime. */
type Needed = Pick<Runtime, 'database' | 'clock' | 'logger' | 'started'> & {
  config: Pick<Config, 'sipTraceDays' | 'hep'>;
};

export type SipTraces = {
  /** Stores SIP messages; `null` if messages are not stored. */
  keep: KeepSipMessage | null;
  /** Returns the number of lost messages since the start. */
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

/**
 * Starts the storage of SIP messages. Closing waits until buffered messages are written, but not for an unreachable
 * database.
 */
export const startSipTraces = (runtime: Needed): SipTraces => {
  const { config, database, clock, logger, started } = runtime;
  const { sipTraceDays: days } = config;
  const sweeping = sweepSipMessages({
    remove: (range) => deleteSipMessages(database, range),
    days,
    ...sipTrace.sweeping,
    clock,
    logger,
  });
  started.defer(sweeping.close);
  const collector = startCollector(runtime);
  const writer = days === 0 ? null : startWriter(runtime);
  if (writer === null && collector === null) return { keep: null, lost: () => 0 };
  return {
    keep(callId, message) {
      collector?.send(message);
      return writer?.add({ callId, ...message }) ?? true;
    },
    lost: () => (writer?.lost() ?? 0) + (collector?.lost() ?? 0),
  };
};

export type Telephony = ChosenLines & {
  trunks: TrunkDirectory;
  /** Engines that a number may choose. */
  engines: Engines;
  voiceSamples: Speech['voiceSamples'];
  /** Returns the number of lost SIP messages of calls since the start. */
  lostSipMessages: () => number;
  lostSeconds: Speech['lostSeconds'];
};

/** Opens the turn-end model; `null` if none is configured. Throws a StartError about the model. */
const openTurnModel = async ({ config, clock, logger, started }: Runtime): Promise<TurnModel | null> => {
  if (config.turnModel === null) return null;
  // Imported only for a configured model, because calls of a dead process wait for the modules of this one.
  const { startTurnModel } = await import('#src/speech/turn-model/turn-model.ts');
  const place = { runtime: 'onnxruntime-node', path: config.turnModel };
  const model = await startTurnModel(place, { limits: turnModelLimits, clock, logger });
  started.defer(model.close);
  return model;
};

/**
 * Whether another gateway needs the registrations of this one: gateways of one relay register with the same contact, the
 * address of its drachtio-server.
 */
const areRegistrationsShared = async (
  { config }: Runtime,
  { others }: Pick<Cluster, 'others'>,
): Promise<boolean> => sharedLines(config) !== null && (await others()).onSameLines.length > 0;

/** Opens the lines, which carry no calls before `lines.start`. */
export const startTelephony = async (
  runtime: Runtime,
  parts: {
    checkpoints: Checkpoints;
    /** Whether this gateway could resume a call of an earlier process. */
    isResumed: (callId: string) => boolean;
    liveCalls: LiveCalls;
    recordings: Recordings;
    overheard: Overheard;
    outgoing: Outgoing;
    cluster: Pick<Cluster, 'leftRelay' | 'others'>;
    onCutOff: LineParts['onCutOff'];
    /** Plays personas of simulated calls; `null` without a language model. */
    playPersona: PlayPersona | null;
    trunkMachineWith: Parameters<typeof createTrunkDirectory>[0]['machineWith'];
  },
): Promise<Telephony> => {
  const { config, platformPolicy, database, sealing, clock, environment, logger, started } = runtime;
  const { synthesizer } = environment;
  const path = process.env['PATH'] ?? '';
  const speech = await startSpeech(config.speech, { ...speechEngines, clock, path, synthesizer, logger });
  started.defer(speech.close);
  const turnModel = await openTurnModel(runtime);
  const trunks = createTrunkDirectory({
    database,
    platformPolicy,
    sealing,
    times: trunkLifeTimes,
    clock,
    logger,
    machineWith: parts.trunkMachineWith,
    mayUse: parts.outgoing.trunkAddresses.mayUse,
    areRegistrationsShared: () => areRegistrationsShared(runtime, parts.cluster),
  });
  const sipTraces = startSipTraces(runtime);
  const chosen = await chooseLines(runtime, {
    speech,
    turnModel,
    openRecording: parts.recordings.begin,
    overhear: parts.overheard.overhear,
    trunks,
    checkpoints: parts.checkpoints,
    isResumed: parts.isResumed,
    keepSipMessage: sipTraces.keep,
    onNodeLost: parts.cluster.leftRelay,
    onCutOff: parts.onCutOff,
    workspaceOf: (callId) => parts.liveCalls.get(callId)?.workspaceId,
    playPersona: parts.playPersona,
  });
  started.defer(() => chosen.lines.close());
  started.defer(() => trunks.close());
  const { lostSeconds } = speech;
  const engines = {
    ...speech.engines,
    turnModel: turnModel !== null,
    languageModels: languageModelsOf(config.languageModel),
  };
  return {
    ...chosen,
    lines: environment.betweenLines(chosen.lines),
    trunks,
    engines,
    voiceSamples: speech.voiceSamples,
    lostSeconds,
    lostSipMessages: sipTraces.lost,
  };
};
