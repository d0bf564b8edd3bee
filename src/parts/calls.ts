/** Calls of this gateway: the journal of their facts, admission, the switchboard, requests. */
import { setImmediate as laterInThisPass } from 'node:timers/promises';
import {
  callTimes,
  knownKeysMs,
  loadLimits,
  platformMaxCallsInProgress,
  queueLimits,
  underway,
  closing,
  journalLimits,
  languageModelLimits,
} from '#config/policy.ts';
import type { callMachine } from '#machines/call.ts';
import type { CallFact } from '#machines/facts.ts';
import type { TransferWanted } from '#machines/transfer.ts';
import type { OnArrival } from '#sip/lines.ts';
import type { StartReply } from '#src/agents/start-reply.ts';
import { sentencesOf } from '#src/agents/utterances.ts';
import type { TransferOwnCall } from '#src/calls/in-call/transfer-own-call.ts';
import type { Admission } from '#src/calls/setup/admission.ts';
import { createCallControl, type CallControl } from '#src/calls/call-control.ts';
import { stateName } from '#src/calls/live/chart-watch.ts';
import { createFleetCounting, type FleetCounting } from '#src/calls/live/fleet-counting.ts';
import { createLatency } from '#src/calls/live/latency.ts';
import { createKnownKeys, type KnownKeys } from '#src/calls/live/known-keys.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import { createSecretKeys } from '#src/calls/live/secret-keys.ts';
import { createOpenLines, type OpenLines } from '#src/calls/live/open-lines.ts';
import { createSwitchboard, type Switchboard } from '#src/calls/live/switchboard.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { TrunkHeaders } from '#src/persistence/trunks/trunks.ts';
import type { Runtime } from './runtime.ts';
import type { Agents, OwnLanguageModel } from './agents.ts';
import type { Cluster } from './cluster.ts';
import type { Telephony } from './telephony.ts';
import {
  createCallRate,
  unlimitedCallRate,
  type CallRate,
  type LoopState,
} from '#src/calls/setup/call-rate.ts';
import { createLoadShedding, type LoadShedding } from '#src/calls/setup/load-shedding.ts';
import type { Logger } from 'pino';
import { createCheckpoints, type Checkpoints } from '#src/continuity/checkpoint/checkpoints.ts';
import { createCheckpointSettings, type CheckpointSettings } from '#src/continuity/checkpoint/settings.ts';
import { createJournal, type Journal } from '#src/calls/journal/journal.ts';
import { callOpening } from '#src/calls/journal/opening.ts';
import { createTransitions, type Transitions } from '#src/calls/journal/transitions.ts';
import { createSummaries, type SummarizeSoFar } from '#src/calls/summaries/summaries.ts';
import { createSummaryWithEnd } from '#src/calls/summaries/summary-with-end.ts';
import {
  createFactRecorder,
  journalPosition,
  type RecordAsHolder,
  type RecordedFact,
} from '#src/persistence/calls/call-facts.ts';
import { finishesRecording } from '#src/persistence/calls/recordings.ts';
import { keepTransitions } from '#src/persistence/calls/call-transitions.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import { createJournalClosing } from '#src/calls/journal/journal-closing.ts';

export type CallJournal = {
  journal: Journal;
  transitions: Transitions;
  settings: CheckpointSettings;
  checkpoints: Checkpoints;
  /** Returns the numbers of a workspace's calls on this gateway by state. */
  countsOf: FleetCounting['countsOf'];
  /** Summarizes a call so far; null without a language model. */
  summarizeSoFar: SummarizeSoFar | null;
  /** Shortens the wait of `close` for an unreachable database. */
  hurry(): void;
};

/** Log texts of facts. The end of a call has a log line of its own with the reason. */
const logTextOf: Readonly<Record<string, string>> = {
  'call.answered': 'a call was answered',
  'call.taken_over': 'a call of another process was taken over',
  'call.answered_by': 'answering-machine detection finished',
  'call.hangup_requested': 'a hangup was requested',
  'call.hangup_cancelled': 'a pending hangup was cancelled: the other party spoke',
  'call.held': 'the other party put a call on hold',
  'call.resumed': 'the other party resumed a call from hold',
  'keys.pressed': 'the agent sent DTMF digits',
  'keys.failed': 'DTMF digits of the agent could not be sent',
  'call.consent': 'the other party was asked for consent',
  'call.transfer_requested': 'a transfer of a call was requested',
  'call.transfer_ringing': 'the target of a transfer is ringing',
  'call.transfer_answered': 'the target of a transfer answered and hears the briefing',
  'call.transfer_connected': 'a call was transferred',
  'call.transfer_failed': 'the transfer of a call failed',
  'call.transfer_returned': 'the transfer of a call was cancelled and the call returned to the agent',
  'say.requested': 'speech was requested in a call',
  'collect.requested': 'DTMF digits of the other party were requested',
  'language.changed': 'the agent changed the language',
  'recording.paused': 'the recording of a call was paused',
  'recording.resumed': 'the recording of a call was resumed',
};

const logFact = (logger: Logger, callId: string, fact: RecordedFact): void => {
  const news = logTextOf[fact.type];
  if (news !== undefined) logger.info({ call_id: callId }, news);
  if (fact.type === 'sound.one_way')
    logger.warn({ call_id: callId, missing: fact.missing }, 'a call has one-way audio');
  if (fact.type === 'call.ended')
    logger.info({ call_id: callId, status: fact.status, end_reason: fact.reason }, 'a call ended');
};

/**
 * Starts the journal of facts in the database, and the work that follows a written fact: log and summary. Closing waits
 * until every fact, transition and summary is written.
 */
export const startJournal = (
  { config, database, sealing, clock, databaseClock, callTime, bus, logger, started }: Runtime,
  { languageModel }: { languageModel: OwnLanguageModel },
): CallJournal => {
  const isPassing = isTransient;
  const counting = createFleetCounting();
  bus.subscribe('connecting', ({ callId, workspaceId }) => counting.begin(callId, workspaceId));
  bus.subscribe('released', ({ callId }) => counting.release(callId));
  const transitions = createTransitions({
    opening: callOpening.state,
    onState: counting.note,
    write: (some) => keepTransitions(database.journal, some),
    clock,
    isPassing,
    ...journalLimits.transitions,
    logger,
  });
  const aheadOf = (callId: string): number => callTime.now(callId) - databaseClock.now();
  const settings = createCheckpointSettings(sealing, aheadOf);
  const checkpoints = createCheckpoints({
    database,
    sealing,
    node: config.node,
    epochOf: (callId) => journal.epochOf(callId),
    awaitsAnswer: settings.has,
    shiftOf: callTime.shiftOf,
    aheadOf,
    nowIn: callTime.now,
    isPassing,
    ...journalLimits.checkpoints,
    clock,
    logger,
  });
  const record = createFactRecorder(database.journal);
  /** Writes a turn with the progress of its call. */
  const writeTurn: RecordAsHolder = async (callId, sequence, fact, epoch, beside) => {
    // The chart publishes a turn in the middle of the transition that changes the progress.
    await laterInThisPass();
    const progress = checkpoints.withTurn(callId);
    let isStored = false;
    try {
      const written = await record(callId, sequence, fact, epoch, { ...beside, progress });
      isStored = written !== null;
      return written;
    } finally {
      if (progress !== null) checkpoints.turnWritten(callId, isStored);
    }
  };
  const journal = createJournal({
    bus,
    write: async (callId, sequence, fact, epoch) => {
      // Transitions are written with the end, because a receiver of `call.ended` may request the replay at once.
      const last = fact.type === 'call.ended' ? await transitions.unwritten(callId) : [];
      const checkpoint =
        fact.type === 'call.answered' ? settings.checkpointOf(callId, checkpoints.withAnswer(callId)) : null;
      const beside = { checkpoint, transitions: last, legsAreGone: checkpoints.areGone(callId) };
      if (fact.type === 'turn.spoken') return writeTurn(callId, sequence, fact, epoch, beside);
      const written = await record(callId, sequence, fact, epoch, beside);
      transitions.wereWritten(callId, last);
      return written;
    },
    positionOf: (callId) => journalPosition(database.journal, callId),
    finishesRecording: (callId) => finishesRecording(database.journal, { callId, node: config.node }),
    isPassing,
    clock,
    logger,
    limit: journalLimits.facts,
    retry: journalLimits.retry,
  });
  started.defer(() => checkpoints.close(closing.checkpointsMs));
  const summaries = createSummaries({
    database,
    journal,
    summarizeByModel: languageModel.summarize,
    modelMs: languageModelLimits.summaryMs,
    clock,
    logger,
  });
  const withEnd = createSummaryWithEnd();
  bus.subscribe('connecting', ({ callId, input: { language, takenOver } }) => {
    // A language model needs time after the end.
    if (languageModel.summarize === null && takenOver === null) withEnd.begin(callId, language);
  });
  bus.subscribe('fact', ({ callId, fact }) => journal.append(callId, withEnd.complete(callId, fact)));
  bus.subscribe('released', ({ callId }) => withEnd.release(callId));
  bus.subscribe('stored', ({ callId, fact, ended }) => {
    logFact(logger, callId, fact);
    if (fact.type === 'call.answered') {
      settings.release(callId);
      checkpoints.answered(callId);
    }
    if (fact.type !== 'call.ended') return;
    checkpoints.ended(callId);
    if (!('summary' in fact)) summaries.write(callId, ended);
  });
  const end = createJournalClosing({ journal, summaries, transitions, times: closing, clock, logger });
  started.defer(end.close);
  const { soFar: summarizeSoFar } = summaries;
  const { countsOf } = counting;
  return { journal, transitions, settings, checkpoints, countsOf, summarizeSoFar, hurry: end.hurry };
};

type Measured = { telemetry: Telemetry; journalling: CallJournal };

export const startLoadShedding = (
  { config, steadyClock, logger, started }: Runtime,
  { telemetry, journalling }: Measured,
): LoadShedding & Pick<CallRate, 'hasRoom' | 'take'> => {
  const { everyMs, memory, journal, delayLeft, halvingDelay, callRate, busy } = loadLimits;
  const { eventLoop } = telemetry;
  const loopState = (): LoopState => {
    if (eventLoop.currentDelayMs() >= config.maxDelayMs * delayLeft) return 'overloaded';
    return eventLoop.currentUtilization() >= busy ? 'busy' : 'free';
  };
  const rate =
    config.maxDelayMs === 0
      ? unlimitedCallRate
      : createCallRate({ numbers: callRate, state: loopState, clock: steadyClock });
  started.defer(rate.close);
  const shedding = createLoadShedding({
    limits: {
      event_loop: { from: config.maxDelayMs, until: config.maxDelayMs * delayLeft },
      memory,
      journal,
    },
    measures: {
      event_loop: eventLoop.delayMs,
      memory: telemetry.memoryShare,
      journal: journalling.journal.backlog,
    },
    beginning: {
      delayMs: eventLoop.currentDelayMs,
      halvingMs: config.maxDelayMs * halvingDelay,
    },
    everyMs,
    clock: steadyClock,
    onChange({ pressure, measured, sheds }) {
      telemetry.metrics.loadShed(pressure, sheds);
      const about = { pressure, measured: Math.round(measured * 1_000) / 1_000 };
      if (sheds) logger.warn(about, 'this gateway is overloaded and accepts no new calls');
      else logger.info(about, 'this gateway accepts calls again');
    },
  });
  started.defer(shedding.close);
  return { ...shedding, hasRoom: rate.hasRoom, take: rate.take };
};

/** Actors and actions of a call's charts. */
export type CallWorld = {
  line: OpenLines['actor'];
  startReply: StartReply;
  publish: (chart: { context: { callId: string } }, fact: CallFact) => void;
  askForTransfer: (chart: { context: { callId: string } }, wanted: TransferWanted) => void;
};

type CallParts = {
  telemetry: Telemetry;
  journalling: CallJournal;
  liveCalls: LiveCalls;
  telephony: Telephony;
  agents: Agents;
  recordings: Recordings;
  overheard: Overheard;
  cluster: Cluster;
};

type CallMachineWith = (world: CallWorld) => typeof callMachine;

export type Calls = {
  control: CallControl;
  admission: Admission;
  switchboard: Switchboard;
  expectLine: OpenLines['expect'];
  hearing: OpenLines['hearing'];
  countsOf: FleetCounting['countsOf'];
  knownKeys: KnownKeys;
  /** Handler of arrivals, which is passed to the lines. */
  onArrival: OnArrival;
};

/** The switchboard and the resources of its calls. */
const openSwitchboard = (
  { steadyClock, callClock, callTime, bus, environment, logger }: Runtime,
  { journalling, liveCalls, telephony, agents, recordings, overheard }: CallParts,
  callMachineWith: CallMachineWith,
  transferOwn: TransferOwnCall,
): { switchboard: Switchboard; openLines: OpenLines } => {
  const { journal, transitions, settings, checkpoints } = journalling;
  const { open, resume } = telephony.lines;
  const secretKeys = createSecretKeys();
  const openLines = createOpenLines({ bus, secretKeys, open, resume });
  const latency = createLatency({
    bus,
    now: steadyClock.now,
    agentOf: (callId) => agents.find(callId)?.kind,
  });
  const publish = (callId: string, fact: CallFact): void =>
    bus.publish('fact', { callId, fact: callTime.stamp(callId, latency.addTo(callId, fact)) });
  const machine = callMachineWith({
    line: openLines.actor,
    startReply(input, emit) {
      const { callId, messages } = input;
      if (agents.find(callId)?.getsSecretKeys !== true) return agents.startReply(input, emit);
      return agents.startReply({ ...input, messages: secretKeys.reveal(callId, messages) }, emit);
    },
    publish: ({ context: { callId } }, fact) => publish(callId, fact),
    askForTransfer: ({ context: { callId } }, wanted) => transferOwn(callId, wanted),
  });
  const switchboard = createSwitchboard({
    machine,
    clock: callClock,
    liveCalls,
    publish,
    inspectorOf: (callId) =>
      transitions.inspectorOf(callId, () => new Date(callTime.now(callId)), journal.positionOf(callId)),
    bus,
    releaseLine(callId, audioUntil) {
      openLines.release(callId, audioUntil);
      checkpoints.release(callId);
    },
    logger,
  });
  bus.subscribe('connecting', ({ callId, input: { takenOver } }) => {
    callTime.begin(callId);
    if (takenOver !== null) secretKeys.begin(callId, takenOver.conversation.messages);
  });
  bus.subscribe('changed', ({ callId, snapshot }) => {
    checkpoints.conversationChanged(callId, snapshot, transitions.factsOf(callId));
    environment.onChart?.(callId, stateName(snapshot.value));
  });
  bus.subscribe('fact', ({ callId, fact }) => {
    transitions.countFact(callId);
    if (fact.type === 'call.answered') agents.begin(callId);
  });
  bus.subscribe('taken', ({ callId }) => switchboard.leave(callId, 'now'));
  const conversations = { release: checkpoints.over };
  const holders = [callTime, transitions, conversations, settings, { release: openLines.close }];
  for (const { release } of [...holders, recordings, overheard, agents, secretKeys])
    bus.subscribe('released', ({ callId }) => release(callId));
  bus.subscribe('released', ({ callId }) => environment.onChart?.(callId, null));
  return { switchboard, openLines };
};

const configuredHeadersOf = (lines: Runtime['config']['realLines']): TrunkHeaders | null =>
  lines === null || lines.trunkAddress === null
    ? null
    : { headersIn: lines.trunkHeadersIn, headersOut: lines.trunkHeadersOut };

/** Starts the parts of calls, which do not accept arrivals yet. */
export const startCalls = (runtime: Runtime, parts: CallParts, callMachineWith: CallMachineWith): Calls => {
  const { config, database, sealing, clock, steadyClock, callTime, bus, logger, started } = runtime;
  const { liveCalls, agents } = parts;
  const { switchboard, openLines } = openSwitchboard(runtime, parts, callMachineWith, (callId, wanted) =>
    control.transferOwnCall(callId, wanted),
  );
  const knownKeys = createKnownKeys({ database, liveCalls, everyMs: knownKeysMs, clock, logger });
  started.defer(knownKeys.close);
  bus.subscribe('connecting', ({ numberId }) => knownKeys.begin(numberId));
  const { journal, settings, summarizeSoFar } = parts.journalling;
  const control = createCallControl({
    storage: { database, sealing },
    live: { bus, journal, liveCalls, switchboard, keepSettings: settings.keep },
    agents: { keepAgent: agents.keep, handshake: agents.handshake, sentencesOf, summarizeSoFar },
    cluster: {
      node: config.node,
      askNode: parts.cluster.askNode,
      counting: parts.cluster.counting,
      underway,
    },
    telephony: {
      hasLines: config.lines !== 'none',
      configuredHeaders: configuredHeadersOf(config.realLines),
      country: runtime.country,
    },
    limits: {
      admission: { maxCalls: config.maxCalls, maxBeginning: loadLimits.beginning },
      load: startLoadShedding(runtime, parts),
      platformPolicy: runtime.platformPolicy,
      maxCallsInProgress: platformMaxCallsInProgress,
      platformDailyMinutes: config.dailyMinutes,
      onDailyNotice(notice) {
        parts.telemetry.metrics.dailyNotice(notice);
        const { owner, id, what } = notice;
        if (what === 'warned')
          logger.warn({ owner, id }, '80 % of the daily minutes of outbound calls are used');
      },
      queues: queueLimits,
    },
    times: callTimes,
    clock: steadyClock,
    now: clock.now,
    logger,
  });
  return {
    control,
    admission: control.admission,
    switchboard,
    expectLine: openLines.expect,
    hearing: openLines.hearing,
    countsOf: parts.journalling.countsOf,
    knownKeys,
    onArrival: (arrival) => control.receiveCall({ ...arrival, at: callTime.onWall(arrival.at) }),
  };
};
