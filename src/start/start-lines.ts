/** Telephone lines with their dependencies: speech engines, trunks, stored far ends. */
import { closing, speechEngines, trunkLifeTimes, turnModelLimits } from '#config/policy.ts';
import type { TurnModel } from '#sip/listening/turn-end/model-ends.ts';
import { createLegKeeper } from '#src/calls/recovery/leg-keeper.ts';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Engines } from '#src/administration/choose-speech.ts';
import { startTurnModel } from '#src/speech/turn-model/turn-model.ts';
import { createTrunkDirectory, type TrunkDirectory } from '#src/trunks/trunk-directory.ts';
import { chooseLines, type ChosenLines } from './choose-lines.ts';
import type { Foundation } from './foundation.ts';
import type { Outgoing } from './start-outgoing.ts';
import { startSipTraces } from './start-sip-traces.ts';
import { startSpeech, type StartedSpeech } from './start-speech.ts';

export type StartedLines = ChosenLines & {
  trunks: TrunkDirectory;
  /** Engines that a number may choose. */
  engines: Engines;
  voiceSamples: StartedSpeech['voiceSamples'];
  /** Lost SIP messages of calls, since the start. */
  lostSipMessages: () => number;
  /** Resolves when stored far ends are written. */
  legsWritten: () => Promise<void>;
  unheardSeconds: StartedSpeech['unheardSeconds'];
};

/** `null` if none is configured. Throws a StartError about the model. */
const openTurnModel = async ({ config, clock, logger, started }: Foundation): Promise<TurnModel | null> => {
  if (config.turnModel === null) return null;
  const place = { runtime: 'onnxruntime-node', path: config.turnModel };
  const model = await startTurnModel(place, { limits: turnModelLimits, clock, logger });
  started.defer(model.close);
  return model;
};

/** Opened, but without calls before `lines.start`. */
export const startLines = async (
  foundation: Foundation,
  parts: {
    journal: Pick<Journal, 'epochOf'>;
    /** Whether a call of an earlier process can be resumed here. */
    goesOn: (callId: string) => boolean;
    liveCalls: Pick<LiveCalls, 'get'>;
    recordings: Pick<Recordings, 'begin'>;
    overheard: Pick<Overheard, 'overhear'>;
    outgoing: Pick<Outgoing, 'trunkAddresses'>;
    trunkMachineWith: Parameters<typeof createTrunkDirectory>[0]['machineWith'];
  },
): Promise<StartedLines> => {
  const { config, platformPolicy, database, sealing, clock, surroundings, logger, started } = foundation;
  const path = process.env['PATH'] ?? '';
  const speech = await startSpeech(config.speech, { ...speechEngines, clock, path, logger });
  started.defer(speech.close);
  const turnModel = await openTurnModel(foundation);
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
  const sipTraces = startSipTraces(foundation);
  const legs = createLegKeeper({
    database,
    sealing,
    node: config.node,
    epochOf: parts.journal.epochOf,
    goesOn: parts.goesOn,
    clock,
    logger,
  });
  started.defer(() => legs.settled(closing.legsMs));
  const chosen = await chooseLines(foundation, {
    speech,
    turnModel,
    openRecording: parts.recordings.begin,
    overhear: parts.overheard.overhear,
    trunks,
    legs,
    keepSipMessage: sipTraces.keep,
    workspaceOf: (callId) => parts.liveCalls.get(callId)?.workspaceId,
  });
  started.defer(() => chosen.lines.close());
  started.defer(() => trunks.close());
  const { unheardSeconds } = speech;
  const engines = { ...speech.engines, turnModel: turnModel !== null };
  return {
    ...chosen,
    lines: surroundings.betweenLines(chosen.lines),
    legsWritten: legs.written,
    trunks,
    engines,
    voiceSamples: speech.voiceSamples,
    unheardSeconds,
    lostSipMessages: sipTraces.lost,
  };
};
