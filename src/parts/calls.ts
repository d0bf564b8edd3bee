/** Calls of this gateway: admission, ownership, journal. */
import {
  callTimes,
  knownKeysMs,
  loadLimits,
  platformMaxCallsInProgress,
  queueLimits,
  underway,
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
import type { Agents } from './agents.ts';
import type { Cluster } from './cluster.ts';
import type { CallJournal } from './journal.ts';
import type { Telephony } from './telephony.ts';
import { createLoadShedding, type LoadShedding } from '#src/calls/setup/load-shedding.ts';

type Measured = { telemetry: Telemetry; journalling: Pick<CallJournal, 'journal'> };

export const startLoadShedding = (
  { config, steadyClock, logger, started }: Pick<Runtime, 'config' | 'steadyClock' | 'logger' | 'started'>,
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
      if (sheds) logger.warn(about, 'this gateway is overloaded and accepts no new calls for now');
      else logger.info(about, 'this gateway accepts calls again');
    },
  });
  started.defer(shedding.close);
  return shedding;
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
  journalling: Pick<CallJournal, 'journal' | 'transitions' | 'progress' | 'settings' | 'summarizeSoFar'>;
  liveCalls: LiveCalls;
  telephony: Pick<Telephony, 'lines'>;
  agents: Agents;
  recordings: Pick<Recordings, 'release'>;
  overheard: Pick<Overheard, 'release'>;
  cluster: Pick<Cluster, 'askNode' | 'counting'>;
  callMachineWith: (world: CallWorld) => typeof callMachine;
};

export type Calls = {
  control: CallControl;
  admission: Admission;
  switchboard: Switchboard;
  expectLine: OpenLines['expect'];
  canBeResumed: OpenLines['canBeResumed'];
  knownKeys: Pick<KnownKeys, 'find' | 'note'>;
  /** Passed to the lines. */
  onArrival: OnArrival;
};

/** The switchboard and the resources of its calls. */
const openSwitchboard = (
  { steadyClock, callClock, callTime, bus, environment, logger }: Runtime,
  { journalling, liveCalls, telephony, agents, recordings, overheard, callMachineWith }: CallParts,
  transferOwn: TransferOwnCall,
): { switchboard: Switchboard; openLines: OpenLines } => {
  const { journal, transitions, progress, settings } = journalling;
  const { open, resume } = telephony.lines;
  const secretKeys = createSecretKeys();
  const openLines = createOpenLines({ bus, secretKeys, open, resume });
  const latency = createLatency({ bus, now: steadyClock.now });
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
      transitions.inspectorOf(callId, () => new Date(callTime.now(callId)), journal.placeOf(callId)),
    bus,
    leaveLine: openLines.leave,
    logger,
  });
  bus.subscribe('connecting', ({ callId, input: { takenOver } }) => {
    callTime.begin(callId);
    if (takenOver !== null) secretKeys.begin(callId, takenOver.conversation.messages);
  });
  bus.subscribe('changed', ({ callId, snapshot }) => {
    progress.note(callId, snapshot, transitions.factsOf(callId));
    environment.onChart?.(callId, stateName(snapshot.value));
  });
  bus.subscribe('fact', ({ callId, fact }) => {
    transitions.countFact(callId);
    if (fact.type === 'call.answered') agents.begin(callId);
  });
  bus.subscribe('taken', ({ callId }) => switchboard.leave(callId));
  const holders = [callTime, transitions, progress, settings, { release: openLines.close }];
  for (const { release } of [...holders, recordings, overheard, agents, secretKeys])
    bus.subscribe('released', ({ callId }) => release(callId));
  return { switchboard, openLines };
};

const configuredHeadersOf = (lines: Runtime['config']['realLines']): TrunkHeaders | null =>
  lines === null || lines.trunkAddress === null
    ? null
    : { headersIn: lines.trunkHeadersIn, headersOut: lines.trunkHeadersOut };

/** Arrivals are not accepted yet. */
export const startCalls = (runtime: Runtime, parts: CallParts): Calls => {
  const { config, database, sealing, clock, steadyClock, callTime, bus, logger, started } = runtime;
  const { liveCalls, agents } = parts;
  const { switchboard, openLines } = openSwitchboard(runtime, parts, (callId, wanted) =>
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
    canBeResumed: openLines.canBeResumed,
    knownKeys,
    onArrival: (arrival) => control.receiveCall({ ...arrival, at: callTime.onWall(arrival.at) }),
  };
};
