/**
 * The composition root: the only place where all parts meet and where the charts are provided with what they do
 * (guides/design/architecture.md, "Rings"). `startGateway` builds from the database outwards and opens the port last;
 * `close` goes back the same way, so that nothing that was acknowledged is lost.
 */
import type { Logger } from 'pino';
import { fromCallback } from 'xstate';
import type { Config } from '#config/config.ts';
import * as policy from '#config/policy.ts';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { trunkMachine } from '#machines/trunk.ts';
import { createStreamPermits } from '#src/api/stream-permits.ts';
import { createCallControl } from '#src/calls/call-control.ts';
import { createCallTime } from '#src/calls/live/call-time.ts';
import { createChartWatch } from '#src/calls/live/chart-watch.ts';
import { replayCall } from '#src/calls/replay/replay-call.ts';
import { createKnownKeys } from '#src/calls/live/known-keys.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { createOpenLines } from '#src/calls/live/open-lines.ts';
import { createLostCalls } from '#src/calls/recovery/lost-calls.ts';
import { createSwitchboard } from '#src/calls/live/switchboard.ts';
import { callCharts, createCharts } from './charts/create-charts.ts';
import { acceleratedClock, steadyClock, systemClock } from './clock.ts';
import { healthOf } from './start/choose-lines.ts';
import { cleanUpsAfterDeath } from './start/clean-ups.ts';
import { countryOf } from './start/country.ts';
import { writeCredentials, type Credentials } from './start/credentials.ts';
import { endCalls } from './start/end-calls.ts';
import { urlOf } from './start/http-server.ts';
import { observeCalls } from '#src/telemetry/observe-calls.ts';
import { createSimulatedPeople } from './start/simulated-people.ts';
import { startAgents } from './start/start-agents.ts';
import { startHttpServer } from './start/start-http-server.ts';
import { startCluster } from './start/start-cluster.ts';
import { startEvents } from './start/start-events.ts';
import { startJournal } from './start/start-journal.ts';
import { startLines } from './start/start-lines.ts';
import { startLanguageModel } from './start/start-language-model.ts';
import { startOutgoing } from './start/start-outgoing.ts';
import { startStorage } from './start/start-storage.ts';
import { createDataFolderWatch } from './start/watch-data-folder.ts';
import { version } from './version.ts';

export type Gateway = {
  credentials: Credentials;
  startedInMs: number;
  /** Takes no new calls, waits for those in progress, then ends everything that was started. */
  close(): Promise<void>;
  /** Hangs up the calls that `close` still waits for, and waits for nothing else that may take long. */
  hurry(): void;
};

/**
 * Throws a StartError whose message is one line for the person who starts the gateway; what was started until then is
 * ended again.
 */
export const startGateway = async (config: Config, logger: Logger): Promise<Gateway> => {
  const begun = performance.now();
  await using started = new AsyncDisposableStack();

  const country = countryOf(config.country);
  const { database, sealing, seeded } = await startStorage(config, policy.databaseLimits, logger, started);
  const shared = { database, sealing, clock: systemClock, logger };
  const { metrics, latency, traces, observer } = observeCalls(steadyClock, policy, logger, started);
  const languageModel = startLanguageModel(config.languageModel, {
    ...policy.languageModelLimits,
    limits: policy.replyLimits,
    clock: systemClock,
    failed: metrics.languageModelFailed,
  });
  started.defer(languageModel.close);

  // The journal, and what follows from it
  const liveCalls = createLiveCalls();
  const callTime = createCallTime({ wall: systemClock.now, steady: steadyClock.now });
  const journalling = startJournal({
    ...shared,
    metrics,
    limit: policy.journalLimits.facts,
    summarizeByModel: languageModel.summarize,
    summaryMs: policy.languageModelLimits.summaryMs,
    times: policy.closing,
  });
  const { journal, transitions, factNews } = journalling;
  const recovery = createLostCalls({ ...shared, journal, observer, now: systemClock.now });
  // What is done for another gateway that has died: the parts of it are below.
  const cluster = await startCluster(
    config,
    {
      ...shared,
      cleanUps: cleanUpsAfterDeath({ database, ...recovery, lines: () => startedLines }),
      onLost: () => switchboard.endAll(),
      numbers: policy.cluster,
    },
    started,
  );
  await recovery.endOwnCalls(config.node);
  started.defer(journalling.close);

  // Servers of customers
  const outgoing = await startOutgoing(
    config,
    { ...policy.outgoingLimits, connectMs: policy.agentTimes.connectMs },
    systemClock,
  );
  started.defer(outgoing.close);
  const { deliveries, webhookTests } = await startEvents({
    ...shared,
    steadyClock,
    policy: policy.deliveryPolicy,
    node: config.node,
    outgoing,
  });
  started.defer(() => deliveries.close());

  // Lines and recordings
  const callClock = config.lines === 'simulator' ? acceleratedClock(config.simulatorSpeed) : steadyClock;
  const startedLines = await startLines(
    config,
    {
      ...shared,
      policy,
      journal,
      country,
      callClock,
      workspaceOf: (callId) => liveCalls.get(callId)?.workspaceId,
      trunkMachineWith: (actors) => trunkMachine.provide({ actors }),
    },
    started,
  );
  const { lines, simulator, trunks, engines } = startedLines;
  const recordings = cluster.share(startedLines.recordings);
  metrics.watch({ ...shared, ...startedLines, liveCalls, journal });
  const openLines = createOpenLines(latency.watchLine(lines.open));

  // Agents
  const agents = startAgents({
    outgoing,
    breakers: policy.agentBreakers,
    clock: systemClock,
    limits: policy.replyLimits,
    times: policy.agentTimes,
    hangUp: (callId, options) => callControl.hangUpOwnCall(callId, options),
    pressKeys: (callId, keys) => callControl.pressOwnKeys(callId, keys),
    languageModel: languageModel.model,
    watchReplies: latency.replies,
    traces,
    logger,
  });
  const reply = fromCallback<{ type: 'none' }, ReplyInput>(({ input, sendBack }) =>
    agents.startReply(input, sendBack),
  );

  // Calls
  const publishFact = (callId: string, fact: CallFact): void => {
    journal.publish(callId, callTime.stamp(callId, fact));
    transitions.countFact(callId);
  };
  const publish = ({ context }: { context: { callId: string } }, fact: CallFact): void => {
    publishFact(context.callId, latency.withLatency(context.callId, fact));
    if (fact.type === 'call.answered') agents.begin(context.callId);
  };
  const machine = callMachine.provide({
    actors: {
      line: openLines.actor,
      conversation: conversationMachine.provide({ actors: { reply }, actions: { publish } }),
    },
    actions: { publish },
  });
  const switchboard = createSwitchboard({
    machine,
    clock: callClock,
    liveCalls,
    publish: publishFact,
    inspectorOf: (callId) => transitions.inspectorOf(callId, () => new Date(callTime.now(callId))),
    observer,
    release(callId) {
      callTime.release(callId);
      transitions.release(callId);
      latency.release(callId);
      openLines.dispose(callId);
      agents.release(callId);
    },
    logger,
  });
  const knownKeys = createKnownKeys({ ...shared, liveCalls, everyMs: policy.knownKeysMs });
  started.defer(knownKeys.close);
  const callControl = createCallControl({
    database,
    sealing,
    journal,
    liveCalls,
    switchboard: {
      ...switchboard,
      connect(call) {
        callTime.begin(call.input.callId);
        switchboard.connect(call);
        knownKeys.begin(call.numberId);
      },
    },
    observer,
    keepAgent: agents.keep,
    handshake: agents.handshake,
    canSignal: () => lines.health().ready,
    hasLines: config.lines !== 'none',
    askNode: cluster.askNode,
    limits: { maxCalls: config.maxCalls, maxBacklog: policy.journalLimits.admission },
    platformPolicy: policy.platformCallPolicy,
    maxCallsInProgress: policy.platformMaxCallsInProgress,
    times: policy.callTimes,
    node: config.node,
    now: systemClock.now,
    logger,
  });
  await lines.start((arrival) => callControl.receiveCall({ ...arrival, at: callTime.onWall(arrival.at) }));
  await cluster.open(callControl.performHere);

  // The HTTP server. Who finds the port open finds the credentials; any free port is known only to who reads them.
  const keepCredentials = (url: string): Promise<Credentials> =>
    writeCredentials(config.dataFolder, { base_url: url, console_url: `${url}/`, ...seeded });
  const kept = config.port === 0 ? null : await keepCredentials(urlOf(config.host, config.port));
  const whyNothingIsKept = createDataFolderWatch({
    folder: config.dataFolder,
    everyMs: policy.dataFolderMs,
    clock: steadyClock,
    logger,
  });
  const streams = createStreamPermits({ perKey: policy.streamsPerKey });
  const server = await startHttpServer(
    config,
    {
      findKnownNumber: knownKeys.find,
      checkCapacity: callControl.admission.check,
      placeCall: callControl.placeCall,
      requestHangup: callControl.requestHangup,
      requestCancel: callControl.requestCancel,
      pauseRecording: callControl.pauseRecording,
      resumeRecording: callControl.resumeRecording,
      ...shared,
      country,
      limits: { ...policy.requestLimits, perKey: { points: config.rateLimit, perSeconds: 60 } },
      platform: { ...policy.platformCallPolicy, maxCallsInProgress: policy.platformMaxCallsInProgress },
      recordings,
      watchFacts: factNews.watch,
      watchChart: createChartWatch(switchboard),
      replayCall,
      charts: createCharts(callCharts),
      streams,
      simulator: simulator && createSimulatedPeople(simulator, database),
      whyUrlIsRefused: outgoing.whyUrlIsRefused,
      tryAgent: agents.tryAgent,
      trunkStatus: trunks.status,
      tryTrunk: trunks.tryOut,
      webhookTests,
      engines,
      health: { isDraining: callControl.admission.isDraining, whyNothingIsKept, ...healthOf(lines) },
      metrics: metrics.registry,
      onAnswered: metrics.requestAnswered,
      version,
    },
    { switchboard, liveCalls, limits: policy.inspectorLimits },
    startedLines.phones && { phones: startedLines.phones, limits: policy.webPhones.limits },
    recordings.handler,
    started,
  );
  await cluster.listensAt(server.url);
  await deliveries.start();
  const credentials = kept ?? (await keepCredentials(server.url));

  const running = started.move();
  return {
    credentials,
    startedInMs: performance.now() - begun,
    async close() {
      await endCalls(
        { ...callControl, streams, switchboard, liveCalls, logger },
        config.drainSec,
        policy.closing,
      );
      await running.disposeAsync();
    },
    hurry() {
      switchboard.closeAll();
      journalling.hurry();
    },
  };
};
