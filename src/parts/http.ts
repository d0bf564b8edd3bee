/** HTTP server: the API, the websockets of web phones, and with GW_INSPECT the websocket of the inspector. */
import type { RequestListener } from 'node:http';
import {
  inspectorLimits,
  webPhones as webPhonePolicy,
  listenInLimits,
  cluster as clusterPolicy,
  dataFolderMs,
  fleet as fleetPolicy,
  knownKeyPatienceMs,
  platformMaxCallsInProgress,
  requestLimits,
} from '#config/policy.ts';
import { createPhoneSocket, type PhoneSocket } from '#sip/webphone/phone-socket.ts';
import { connectEverywhere } from '#sip/webphone/phone-switch.ts';
import { createApi } from '#src/api/app.ts';
import { answerClientErrors } from '#src/api/http/client-errors.ts';
import type { ApiServices, Rehearsals } from '#src/api/api-services.ts';
import { prepareRoutes } from '#src/api/http/prepare-routes.ts';
import { createCounter, type Counter } from '#src/api/http/rate-limit.ts';
import { routes } from '#src/api/routes.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import { createInspectorSocket, type InspectorSocketOptions } from '#src/inspector/inspector-socket.ts';
import type { Runtime } from './runtime.ts';
import type { HttpServer } from '#src/start/http-server.ts';
import { createWebSocketRoutes, type WebSocketRoutes } from '#src/api/http/websocket-routes.ts';
import { listenInPolicyOf, noteListeningBegun, noteListeningEnded } from '#src/administration/listen-in.ts';
import {
  createListenInSocket,
  type ListenInSocket,
  type ListenInSocketOptions,
  type Wish,
} from '#src/listen-in/listen-in-socket.ts';
import { createFleetHistory } from '#src/calls/fleet-history.ts';
import { createChartWatch } from '#src/calls/live/chart-watch.ts';
import { createCallNewsHandler, type CallNewsHandler } from '#src/cluster/call-news-handler.ts';
import type { HeldNews, TellNews } from '#src/cluster/call-news.ts';
import { progressOf } from '#src/cluster/call-progress.ts';
import { createCallFollowing } from '#src/cluster/follow-calls.ts';
import { createProofJudge, type JudgeProof } from '#src/cluster/node-proof.ts';
import { createOtherGateways, type OtherGateways } from '#src/cluster/other-gateways.ts';
import { createWorkspaceFollowing } from '#src/cluster/follow-workspace.ts';
import { createFleetWatches, createHeldFleet } from '#src/cluster/watch-fleet.ts';
import { createLinkPhone, phoneLinksPath } from '#src/cluster/phone-links.ts';
import { createCallWatches } from '#src/cluster/watch-calls.ts';
import { showAll, showHeld } from '#src/inspector/viewer.ts';
import { bytesIn } from '#src/domain/sample-bytes.ts';
import { reachableNodes } from '#src/persistence/nodes/nodes.ts';
import { findHolder } from '#src/persistence/calls/call-holders.ts';
import { transitionTallies } from '#src/persistence/calls/transition-tallies.ts';
import type { Calls } from './calls.ts';
import { createDirectory } from '#src/administration/directory.ts';
import { createReadBrowser } from '#src/api/http/browser.ts';
import { createClientAddress } from '#src/api/http/client-address.ts';
import type { StreamPermits } from '#src/api/http/stream-permits.ts';
import { chartVersionOf } from '#src/calls/journal/chart-version.ts';
import { createNumberAuthentication } from '#src/calls/live/number-authentication.ts';
import { createRepeatedRequests } from '#src/calls/setup/repeated-requests.ts';
import { createStoredCalls } from '#src/calls/stored-calls.ts';
import { chartDefinition, callCharts, createChartDrawings } from '#src/charts/chart-drawings.ts';
import { createEndpoints } from '#src/events/endpoints.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import { createRequestCounting } from '#src/persistence/workspaces/request-counts.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import { healthOf, createSimulatedPeople, type Telephony } from './telephony.ts';
import type { Agents, OwnLanguageModel } from './agents.ts';
import type { Cluster, SharedRecordings } from './cluster.ts';
import { startRehearsals } from './rehearsals.ts';
import type { Events } from './events.ts';
import type { Outgoing } from './outgoing.ts';
import { createDataFolderWatch } from '#src/housekeeping/data-folder-watch.ts';

/** Parts of the gateway that the API uses. */
type ApiParts = {
  telemetry: Telemetry;
  outgoing: Outgoing;
  events: Events;
  recordings: SharedRecordings;
  telephony: Telephony;
  agents: Agents;
  calls: Calls;
  cluster: Cluster;
  streams: StreamPermits;
  languageModel: OwnLanguageModel;
  version: string;
};

/** Connects the API's services to the parts of the gateway. */
const apiServicesOf = (
  { config, country, platformPolicy, database, sealing, clock, steadyClock, bus, logger }: Runtime,
  parts: ApiParts & { watching: CallWatching; rehearsals: Rehearsals },
): ApiServices => {
  const { telephony, agents } = parts;
  const { metrics } = parts.telemetry;
  const { control, knownKeys } = parts.calls;
  const { urlProblem } = parts.outgoing;
  const dataFolderProblem = createDataFolderWatch({
    folder: config.dataFolder,
    everyMs: dataFolderMs,
    clock: steadyClock,
    logger,
  });
  return {
    calls: {
      placeCall: control.placeCall,
      requestHangup: control.requestHangup,
      requestCancel: control.requestCancel,
      pressKeys: control.pressKeys,
      collectKeys: control.collectKeys,
      say: control.say,
      transfer: control.transfer,
      cancelTransfer: control.cancelTransfer,
      pauseRecording: control.pauseRecording,
      resumeRecording: control.resumeRecording,
      approach: control.admission.approach,
      refusal: control.admission.refusal,
      repeatedRequests: createRepeatedRequests(database, sealing),
      storedCalls: createStoredCalls(database),
      recordings: parts.recordings,
      sipTrace: { days: config.sipTraceDays, isSimulated: config.lines === 'simulator' },
      watchFacts: (callId, onFact) => bus.subscribe('stored', onFact, callId),
      watchCall: parts.watching.watch,
      watchFleet: parts.watching.watchFleet,
      fleetHistory: createFleetHistory({
        read: (wanted) => transitionTallies(database, wanted),
        numbers: fleetPolicy.history,
        clock,
        steadyClock,
      }),
      isHeldHere: parts.watching.isHeld,
      streams: parts.streams,
      simulator:
        telephony.simulator &&
        createSimulatedPeople(telephony.simulator, database, {
          node: config.node,
          scriptProgressAt: parts.cluster.scriptProgressAt,
          hasModel: config.languageModel !== null,
        }),
      rehearsals: parts.rehearsals,
    },
    directory: {
      ...createDirectory({ database, sealing, clock, logger }),
      authenticateNumber: createNumberAuthentication({
        database,
        sealing,
        knownKeys,
        patienceMs: knownKeyPatienceMs,
        clock: steadyClock,
      }),
      country,
      platform: {
        ...platformPolicy,
        maxCallsInProgress: platformMaxCallsInProgress,
        dailyMinutes: config.dailyMinutes,
      },
      engines: telephony.engines,
      voiceSamples: telephony.voiceSamples,
      urlProblem,
      trunkHostProblem: parts.outgoing.trunkAddresses.hostProblem,
      trunkStatus: telephony.trunks.status,
      routeTo: telephony.trunks.route,
      tryTrunk: telephony.trunks.tryOut,
      tryAgent: agents.tryAgent,
    },
    events: {
      endpoints: createEndpoints({ db: database, sealing, clock, urlProblem }),
      webhookTests: parts.events.webhookTests,
    },
    operation: {
      node: config.node,
      version: parts.version,
      load: parts.telemetry.load,
      logger,
      clock,
      limits: { ...requestLimits, perKey: { points: config.rateLimit, perSeconds: 60 } },
      countWithOthers(perSeconds) {
        const count = createRequestCounting(database, perSeconds);
        return async (key) => (parts.cluster.counting.isAlone() ? null : count(key));
      },
      clientAddress: createClientAddress(config.trustedProxies),
      readBrowser: createReadBrowser(config.trustedProxies),
      health: {
        isDraining: control.admission.isDraining,
        dataFolderProblem,
        ...healthOf(telephony.lines),
      },
      isPassing: isTransient,
      metrics: metrics.registry,
      onAnswered: metrics.requestAnswered,
      inspects: config.inspect,
      charts: createChartDrawings(),
      chartDefinitions: (name) => chartDefinition(callCharts[name], chartVersionOf(name)),
    },
  };
};

export type CallWatching = {
  watch: ApiServices['calls']['watchCall'];
  watchFleet: ApiServices['calls']['watchFleet'];
  isHeld: ApiServices['calls']['isHeldHere'];
  /** Queries of the inspector. */
  inspected: Pick<InspectorSocketOptions, 'calls' | 'follow' | 'followOthers' | 'ownerOf'>;
  /** Queries of listeners. */
  listenIn: ListenInSocketOptions['follow'];
  /** Handler of other gateways' queries for calls of this gateway. */
  handler: CallNewsHandler;
};

/** Audio of calls of this gateway for listeners. */
const soundOf =
  ({ listen }: Overheard, isAnnounced: boolean): TellNews =>
  (callId, tell, onOver) =>
    listen(
      callId,
      {
        isAnnounced,
        onState: (state) => tell({ news: 'listen-in', state }),
        onSound: (samples) => tell({ news: 'sound', samples: bytesIn(samples).toString('base64') }),
      },
      onOver,
    );

const isCallId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

/** Notifications about calls, exchanged with the other gateways of the database. */
const startCallWatching = (
  { config, database, sealing, clock, steadyClock, bus, logger, started }: Runtime,
  parts: {
    calls: Calls;
    liveCalls: LiveCalls;
    overheard: Overheard;
    judgeProof: JudgeProof;
    gateways: OtherGateways;
  },
): CallWatching => {
  const { switchboard } = parts.calls;
  const { all, get, onAdded, onRemoved } = parts.liveCalls;
  const isHeld = (callId: string): boolean => switchboard.find(callId) !== undefined;
  const show = showHeld(switchboard);
  const held: HeldNews = {
    progress: progressOf({
      watchChart: createChartWatch({
        find: switchboard.find,
        hearing: parts.calls.hearing,
        bus,
        clock: steadyClock,
      }),
      watchFacts: (callId, onFact) => bus.subscribe('stored', onFact, callId),
      onRemoved,
    }),
    charts: (callId, tell, onOver) =>
      config.inspect
        ? show(callId, (message) => tell({ news: 'inspection', message: { ...message } }), onOver)
        : undefined,
    sound: soundOf(parts.overheard, false),
    'announced-sound': soundOf(parts.overheard, true),
  };
  const { now } = clock;
  const following = createCallFollowing({
    database,
    held,
    keys: sealing,
    numbers: clusterPolicy.callFollowing,
    now,
    clock: steadyClock,
    logger,
  });
  started.defer(following.close);
  const others = createWorkspaceFollowing({
    gateways: parts.gateways,
    keys: sealing,
    numbers: clusterPolicy.callFollowing,
    now,
    logger,
  });
  started.defer(others.close);
  const fleet = {
    countHere: parts.calls.countsOf,
    everyMs: fleetPolicy.everyMs,
    clock: steadyClock,
  };
  const inspected = { find: switchboard.find, all, onAdded };
  const showHeldCharts = showAll(inspected);
  return {
    watch: createCallWatches(following),
    watchFleet: createFleetWatches({ ...fleet, followOthers: others.followFleet }),
    isHeld,
    inspected: {
      calls: inspected,
      followOthers: others.followCharts,
      follow: (callId, showMessage, stopped) =>
        following.follow({
          callId,
          kind: 'charts',
          onNews: (told) => told.news === 'inspection' && showMessage(told.message),
          stopped,
        }),
      ownerOf: async (callId) =>
        get(callId)?.workspaceId ??
        (isCallId(callId) ? (await findHolder(database, callId))?.workspaceId : undefined),
    },
    listenIn: (callId, policy, { onState, onSound }, stopped) =>
      following.follow({
        callId,
        kind: policy === 'silent' ? 'sound' : 'announced-sound',
        onNews(told) {
          if (told.news === 'listen-in') onState(told.state);
          if (told.news === 'sound') onSound(Buffer.from(told.samples, 'base64'));
        },
        stopped,
      }),
    handler: createCallNewsHandler({
      ...clusterPolicy.callNews,
      held,
      showHeldCharts: (wanted, reader) => {
        if (!config.inspect) return undefined;
        return showHeldCharts(wanted, {
          ...reader,
          show: (message) => reader.show({ ...message }),
        });
      },
      countHeld: createHeldFleet(fleet),
      judge: parts.judgeProof,
      clock: steadyClock,
    }),
  };
};

export const openListenIn = (
  { database, sealing, clock, steadyClock, logger }: Runtime,
  follow: ListenInSocketOptions['follow'],
): ListenInSocket => {
  const administratorOf = (wish: Wish) => ({ database, sealing, clock, ...wish });
  return createListenInSocket({
    policyOf: (wish) => listenInPolicyOf(administratorOf(wish), wish.callId),
    async begin(wish, policy) {
      const begunAt = steadyClock.now();
      await noteListeningBegun(administratorOf(wish), wish.callId, policy);
      return () =>
        noteListeningEnded(administratorOf(wish), wish.callId, (steadyClock.now() - begunAt) / 1_000);
    },
    follow,
    limits: listenInLimits,
    logger,
  });
};

/** Web phones of this gateway, whose pages it links with the other gateways. */
const openPhoneSocket = (
  { config, sealing, clock, steadyClock, databaseClock, logger }: Runtime,
  webPhones: NonNullable<Telephony['webPhones']>,
  gateways: OtherGateways,
): PhoneSocket => {
  const linkPhone = createLinkPhone({
    gateways,
    keys: sealing,
    numbers: clusterPolicy.phoneLinks,
    now: clock.now,
    clock: steadyClock,
    logger,
  });
  const { comeBackMs, limits } = webPhonePolicy;
  const everywhere = {
    phones: webPhones.phones,
    linkPhone,
    node: config.node,
    now: databaseClock.now,
    comeBackMs,
    clock: steadyClock,
  };
  return createPhoneSocket({
    ...webPhones,
    connectEverywhere: (page) => connectEverywhere(page, everywhere),
    limits,
    logger,
  });
};

/** Websockets for admin tokens, console sessions and other gateways. */
const serveWebSockets = (
  services: ApiServices,
  failures: Counter,
  judgeProof: JudgeProof,
): WebSocketRoutes => {
  const { authenticateToken, authenticateSession } = services.directory;
  return createWebSocketRoutes({
    async authenticate(credential) {
      const admin = await ('token' in credential
        ? authenticateToken(credential.token)
        : authenticateSession(credential.session));
      return admin && { workspaceId: admin.workspace.id, actor: `admin:${admin.id}`, role: admin.role };
    },
    readBrowser: services.operation.readBrowser,
    judgeGateway: ({ method = '', url = '', headers }) =>
      judgeProof({ method, path: url, range: undefined }, headers.authorization),
    async countFailure(request) {
      const counted = await failures.count(services.operation.clientAddress(request));
      return counted?.isBeyond === true ? counted.seconds : null;
    },
    revalidateMs: services.operation.limits.eventStream.revalidateMs,
    logger: services.operation.logger,
  });
};

/** Starts the server. Throws a StartError if the address cannot be used. */
export const startHttpServer = async (
  runtime: Runtime,
  parts: ApiParts & { liveCalls: LiveCalls; overheard: Overheard },
): Promise<HttpServer> => {
  const { config, database, sealing, clock, steadyClock, logger, environment, started } = runtime;
  const { webPhones } = parts.telephony;
  const gateways = createOtherGateways({
    read: () => reachableNodes(database, config.node),
    lookMs: clusterPolicy.otherGatewaysLookMs,
    clock: steadyClock,
    logger,
  });
  started.defer(gateways.close);
  const judgeProof = createProofJudge({ keys: sealing, now: clock.now, logger });
  const watching = startCallWatching(runtime, { ...parts, judgeProof, gateways });
  const rehearsals = await startRehearsals(runtime, {
    services: () => services,
    model: parts.languageModel.rehearsing,
  });
  const services: ApiServices = apiServicesOf(runtime, { ...parts, watching, rehearsals });
  const failures = createCounter('failures', services.operation.limits.failuresPerAddress, services);
  const answer = createApi(services, failures);
  const { handler: recordingHandler } = parts.recordings;
  const handle: RequestListener = (request, response) => {
    if (watching.handler.isFor(request)) watching.handler.answer(request, response);
    else if (recordingHandler.isFor(request)) void recordingHandler.answer(request, response);
    else answer(request, response);
  };
  await prepareRoutes(routes, services, () => parts.liveCalls.count.get());
  const { host, port } = config;
  const server = await environment.listen(handle, { host, port, prepare: answerClientErrors });
  started.defer(() => server.close());
  // Event streams are closed first, because they last as long as their calls, and the server waits for responses.
  started.defer(watching.handler.close);
  const webSockets = serveWebSockets(services, failures, judgeProof);
  webSockets.attach(server.server);
  const listeners = openListenIn(runtime, watching.listenIn);
  webSockets.serve('/api/v1/admin/listen', 'admin', listeners.accept);
  started.defer(() => listeners.close());
  if (webPhones !== null) {
    const phoneSocket = openPhoneSocket(runtime, webPhones, gateways);
    // Web phones receive and place calls.
    webSockets.serve('/api/v1/admin/phone', 'admin', phoneSocket.accept);
    webSockets.serveGateways(phoneLinksPath, phoneSocket.acceptLink);
    started.defer(() => phoneSocket.close());
  }
  if (config.inspect) {
    const inspector = createInspectorSocket({
      ...watching.inspected,
      limits: inspectorLimits,
      logger,
    });
    webSockets.serve('/inspect', 'viewer', inspector.accept);
    started.defer(() => inspector.close());
  }
  return server;
};
