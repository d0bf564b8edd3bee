/** Telephony: lines with their speech engines, trunks, SIP traces and stored far ends. */
import { closing, speechEngines, trunkLifeTimes, turnModelLimits, sipTrace } from '#config/policy.ts';
import type { TurnModel } from '#sip/audio/listening/turn-end/model-ends.ts';
import type { CheckpointLegs } from '#src/continuity/checkpoint/legs.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Engines } from '#src/administration/choose-speech.ts';
import { startTurnModel } from '#src/speech/turn-model/turn-model.ts';
import { createTrunkDirectory, type TrunkDirectory } from '#src/trunks/trunk-directory.ts';
import { chooseLines, type ChosenLines } from './line-driver.ts';
import type { Runtime } from './runtime.ts';
import type { Outgoing } from './outgoing.ts';
import { startSpeech, type Speech } from './speech.ts';
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

/** Parts of the runtime. */
type Needed = Pick<Runtime, 'database' | 'clock' | 'logger' | 'started'> & {
  config: Pick<Config, 'sipTraceDays' | 'hep'>;
};

export type SipTraces = {
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
  /** Lost SIP messages of calls, since the start. */
  lostSipMessages: () => number;
  /** Resolves when stored far ends are written. */
  legsWritten: () => Promise<void>;
  lostSeconds: Speech['lostSeconds'];
};

/** `null` if none is configured. Throws a StartError about the model. */
const openTurnModel = async ({ config, clock, logger, started }: Runtime): Promise<TurnModel | null> => {
  if (config.turnModel === null) return null;
  const place = { runtime: 'onnxruntime-node', path: config.turnModel };
  const model = await startTurnModel(place, { limits: turnModelLimits, clock, logger });
  started.defer(model.close);
  return model;
};

/** Opened, but without calls before `lines.start`. */
export const startTelephony = async (
  runtime: Runtime,
  parts: {
    legs: CheckpointLegs;
    /** Whether a call of an earlier process can be resumed here. */
    isResumed: (callId: string) => boolean;
    liveCalls: Pick<LiveCalls, 'get'>;
    recordings: Pick<Recordings, 'begin'>;
    overheard: Pick<Overheard, 'overhear'>;
    outgoing: Pick<Outgoing, 'trunkAddresses'>;
    trunkMachineWith: Parameters<typeof createTrunkDirectory>[0]['machineWith'];
  },
): Promise<Telephony> => {
  const { config, platformPolicy, database, sealing, clock, environment, logger, started } = runtime;
  const path = process.env['PATH'] ?? '';
  const speech = await startSpeech(config.speech, { ...speechEngines, clock, path, logger });
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
  });
  const sipTraces = startSipTraces(runtime);
  const { legs } = parts;
  started.defer(() => legs.settled(closing.legsMs));
  const chosen = await chooseLines(runtime, {
    speech,
    turnModel,
    openRecording: parts.recordings.begin,
    overhear: parts.overheard.overhear,
    trunks,
    legs: { ...legs, orphans: (node) => legs.orphans(parts.isResumed, node) },
    keepSipMessage: sipTraces.keep,
    workspaceOf: (callId) => parts.liveCalls.get(callId)?.workspaceId,
  });
  started.defer(() => chosen.lines.close());
  started.defer(() => trunks.close());
  const { lostSeconds } = speech;
  const engines = { ...speech.engines, turnModel: turnModel !== null };
  return {
    ...chosen,
    lines: environment.betweenLines(chosen.lines),
    legsWritten: legs.written,
    trunks,
    engines,
    voiceSamples: speech.voiceSamples,
    lostSeconds,
    lostSipMessages: sipTraces.lost,
  };
};
