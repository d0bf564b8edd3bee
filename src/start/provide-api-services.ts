/** Connects the API's services to the parts of the gateway. */
import {
  dataFolderMs,
  knownKeyPatienceMs,
  platformMaxCallsInProgress,
  requestLimits,
} from '#config/policy.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createReadBrowser } from '#src/api/browser.ts';
import { createClientAddress } from '#src/api/client-address.ts';
import type { StreamPermits } from '#src/api/stream-permits.ts';
import { chartVersionOf } from '#src/calls/journal/chart-version.ts';
import { createNumberAuthentication } from '#src/calls/live/number-authentication.ts';
import { createRepeatedRequests } from '#src/calls/setup/repeated-requests.ts';
import { createStoredCalls } from '#src/calls/stored-calls.ts';
import { chartDefinition } from '#src/charts/chart-definition.ts';
import { callCharts, createChartDrawings } from '#src/charts/chart-drawings.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import { createRequestCounting } from '#src/persistence/request-counts.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import { healthOf } from './choose-lines.ts';
import type { Foundation } from './foundation.ts';
import { createSimulatedPeople } from './simulated-people.ts';
import type { Agents } from './start-agents.ts';
import type { StartedCalls } from './start-calls.ts';
import type { Cluster, SharedRecordings } from './start-cluster.ts';
import type { Events } from './start-events.ts';
import type { StartedJournal } from './start-journal.ts';
import type { StartedLines } from './start-lines.ts';
import type { Outgoing } from './start-outgoing.ts';
import type { CallWatching } from './watch-calls.ts';
import { createDataFolderWatch } from './watch-data-folder.ts';

/** Parts of the gateway that the API uses. */
export type ApiParts = {
  telemetry: Telemetry;
  journalling: Pick<StartedJournal, 'factNews'>;
  outgoing: Outgoing;
  events: Events;
  recordings: SharedRecordings;
  telephony: StartedLines;
  agents: Agents;
  calls: StartedCalls;
  cluster: Pick<Cluster, 'counting'>;
  streams: StreamPermits;
  version: string;
};

export const apiServicesOf = (
  { config, country, platformPolicy, database, sealing, clock, steadyClock, logger }: Foundation,
  parts: ApiParts & { watching: CallWatching },
): ApiServices => {
  const { telephony, agents } = parts;
  const { metrics } = parts.telemetry;
  const { control, knownKeys } = parts.calls;
  const dataFolderProblem = createDataFolderWatch({
    folder: config.dataFolder,
    everyMs: dataFolderMs,
    clock: steadyClock,
    logger,
  });
  return {
    database,
    node: config.node,
    sealing,
    clock,
    logger,
    country,
    authenticateNumber: createNumberAuthentication({
      database,
      sealing,
      knownKeys,
      patienceMs: knownKeyPatienceMs,
      clock: steadyClock,
    }),
    repeatedRequests: createRepeatedRequests(database, sealing),
    storedCalls: createStoredCalls(database),
    isPassing: isTransient,
    approach: control.admission.approach,
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
    clientAddress: createClientAddress(config.trustedProxies),
    readBrowser: createReadBrowser(config.trustedProxies),
    limits: { ...requestLimits, perKey: { points: config.rateLimit, perSeconds: 60 } },
    countWithOthers(perSeconds) {
      const count = createRequestCounting(database, perSeconds);
      return async (key) => (parts.cluster.counting.isAlone() ? null : count(key));
    },
    platform: {
      ...platformPolicy,
      maxCallsInProgress: platformMaxCallsInProgress,
      dailyMinutes: config.dailyMinutes,
    },
    recordings: parts.recordings,
    sipTrace: { days: config.sipTraceDays, isSimulated: config.lines === 'simulator' },
    watchFacts: parts.journalling.factNews.watch,
    watchCall: parts.watching.watch,
    isHeldHere: parts.watching.isHeld,
    charts: createChartDrawings(),
    chartDefinitions: (name) => chartDefinition(callCharts[name], chartVersionOf(name)),
    streams: parts.streams,
    simulator: telephony.simulator && createSimulatedPeople(telephony.simulator, database),
    urlProblem: parts.outgoing.urlProblem,
    trunkHostProblem: parts.outgoing.trunkAddresses.hostProblem,
    tryAgent: agents.tryAgent,
    trunkStatus: telephony.trunks.status,
    routeTo: telephony.trunks.route,
    tryTrunk: telephony.trunks.tryOut,
    webhookTests: parts.events.webhookTests,
    engines: telephony.engines,
    voiceSamples: telephony.voiceSamples,
    inspects: config.inspect,
    health: {
      isDraining: control.admission.isDraining,
      dataFolderProblem,
      ...healthOf(telephony.lines),
    },
    metrics: metrics.registry,
    onAnswered: metrics.requestAnswered,
    version: parts.version,
  };
};
