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
import { createKnownKeys, type KnownKeys } from '#src/calls/live/known-keys.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import { createSecretKeys, type SecretKeys } from '#src/calls/live/secret-keys.ts';
import { createOpenLines, type OpenLines } from '#src/calls/live/open-lines.ts';
import { createSwitchboard, type Switchboard } from '#src/calls/live/switchboard.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { TrunkHeaders } from '#src/persistence/trunks.ts';
import type { Foundation } from './foundation.ts';
import type { Agents } from './start-agents.ts';
import { startLoadShedding } from './start-load-shedding.ts';
import type { Cluster } from './start-cluster.ts';
import type { StartedJournal } from './start-journal.ts';
import type { StartedLines } from './start-lines.ts';

/** Actors and actions of a call's charts. */
export type CallWorld = {
  line: OpenLines['actor'];
  startReply: StartReply;
  publish: (chart: { context: { callId: string } }, fact: CallFact) => void;
  askForTransfer: (chart: { context: { callId: string } }, wanted: TransferWanted) => void;
};

type CallParts = {
  telemetry: Telemetry;
  journalling: Pick<StartedJournal, 'journal' | 'transitions' | 'progress' | 'beginnings' | 'summarizeSoFar'>;
  liveCalls: LiveCalls;
  telephony: Pick<StartedLines, 'lines'>;
  agents: Agents;
  recordings: Pick<Recordings, 'release'>;
  overheard: Pick<Overheard, 'noteFact' | 'release'>;
  cluster: Pick<Cluster, 'askNode' | 'counting'>;
  callMachineWith: (world: CallWorld) => typeof callMachine;
};

export type StartedCalls = {
  control: CallControl;
  admission: Admission;
  switchboard: Switchboard;
  expectLine: OpenLines['expect'];
  canBeLeft: OpenLines['canBeLeft'];
  knownKeys: Pick<KnownKeys, 'find' | 'note'>;
  /** Passed to the lines. */
  onArrival: OnArrival;
};

/** The switchboard and the resources of its calls. */
const openSwitchboard = (
  { callClock, callTime, surroundings, logger }: Foundation,
  { telemetry, journalling, liveCalls, telephony, agents, recordings, overheard, callMachineWith }: CallParts,
  transferOwn: TransferOwnCall,
): { switchboard: Switchboard; openLines: OpenLines; secretKeys: SecretKeys } => {
  const { latency, metrics, observer } = telemetry;
  const { journal, transitions, progress, beginnings } = journalling;
  const { open, adopt } = telephony.lines;
  const secretKeys = createSecretKeys();
  const openLines = createOpenLines({
    secretKeys,
    open: latency.watchLine(open),
    adopt: (input, left, emit) => latency.watchLine((_, tell) => adopt(input, left, tell))(input, emit),
  });
  const publish = (callId: string, fact: CallFact): void => {
    const stamped = callTime.stamp(callId, fact);
    metrics.factPublished(callId, stamped);
    journal.publish(callId, stamped);
    transitions.countFact(callId);
    overheard.noteFact(callId, stamped);
  };
  const machine = callMachineWith({
    line: openLines.actor,
    startReply(input, emit) {
      const { callId, messages } = input;
      if (agents.find(callId)?.getsSecretKeys !== true) return agents.startReply(input, emit);
      return agents.startReply({ ...input, messages: secretKeys.reveal(callId, messages) }, emit);
    },
    publish({ context: { callId } }, fact) {
      publish(callId, latency.withLatency(callId, fact));
      if (fact.type === 'call.answered') agents.begin(callId);
    },
    askForTransfer: ({ context: { callId } }, wanted) => transferOwn(callId, wanted),
  });
  const switchboard = createSwitchboard({
    machine,
    clock: callClock,
    liveCalls,
    publish,
    inspectorOf: (callId) =>
      transitions.inspectorOf(callId, () => new Date(callTime.now(callId)), journal.placeOf(callId)),
    onProgress(callId, snapshot) {
      progress.note(callId, snapshot, transitions.factsOf(callId));
      surroundings.onChart?.(callId, stateName(snapshot.value));
    },
    observer,
    leaveLine: openLines.leave,
    release(callId) {
      callTime.release(callId);
      transitions.release(callId);
      progress.release(callId);
      beginnings.release(callId);
      latency.release(callId);
      openLines.close(callId);
      recordings.release(callId);
      overheard.release(callId);
      agents.release(callId);
      secretKeys.release(callId);
    },
    logger,
  });
  return { switchboard, openLines, secretKeys };
};

const configuredHeadersOf = (lines: Foundation['config']['realLines']): TrunkHeaders | null =>
  lines === null || lines.trunkAddress === null
    ? null
    : { headersIn: lines.trunkHeadersIn, headersOut: lines.trunkHeadersOut };

/** Arrivals are not accepted yet. */
export const startCalls = (foundation: Foundation, parts: CallParts): StartedCalls => {
  const { config, database, sealing, clock, steadyClock, callTime, logger, started } = foundation;
  const { liveCalls, agents } = parts;
  const {
    switchboard: opened,
    openLines,
    secretKeys,
  } = openSwitchboard(foundation, parts, (callId, wanted) => control.transferOwnCall(callId, wanted));
  parts.journalling.journal.onTaken(opened.leave);
  const knownKeys = createKnownKeys({ database, liveCalls, everyMs: knownKeysMs, clock, logger });
  started.defer(knownKeys.close);
  const switchboard: Switchboard = {
    ...opened,
    connect(call) {
      const { callId, takenOver } = call.input;
      callTime.begin(callId);
      if (takenOver !== null) secretKeys.begin(callId, takenOver.conversation.messages);
      opened.connect(call);
      knownKeys.begin(call.numberId);
    },
  };
  const control = createCallControl({
    database,
    sealing,
    journal: parts.journalling.journal,
    liveCalls,
    switchboard,
    observer: parts.telemetry.observer,
    keepAgent: agents.keep,
    keepBeginning: parts.journalling.beginnings.keep,
    handshake: agents.handshake,
    summarizeSoFar: parts.journalling.summarizeSoFar,
    sentencesOf,
    hasLines: config.lines !== 'none',
    askNode: parts.cluster.askNode,
    counting: parts.cluster.counting,
    limits: { maxCalls: config.maxCalls, maxBeginning: loadLimits.beginning },
    load: startLoadShedding(foundation, parts),
    platformPolicy: foundation.platformPolicy,
    configuredHeaders: configuredHeadersOf(config.realLines),
    country: foundation.country,
    maxCallsInProgress: platformMaxCallsInProgress,
    platformDailyMinutes: config.dailyMinutes,
    onDailyNotice(notice) {
      parts.telemetry.metrics.dailyNotice(notice);
      const { owner, id, what } = notice;
      if (what === 'warned')
        logger.warn({ owner, id }, 'four fifths of the minutes of outbound calls of a day are used');
    },
    times: callTimes,
    node: config.node,
    underway,
    queueLimits,
    clock: steadyClock,
    now: clock.now,
    logger,
  });
  return {
    control,
    admission: control.admission,
    switchboard,
    expectLine: openLines.expect,
    canBeLeft: openLines.canBeLeft,
    knownKeys,
    onArrival: (arrival) => control.receiveCall({ ...arrival, at: callTime.onWall(arrival.at) }),
  };
};
