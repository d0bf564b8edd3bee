/** Connects the API's services to the parts of the gateway. */
import {
  dataFolderMs,
  knownKeyPatienceMs,
  platformMaxCallsInProgress,
  requestLimits,
} from '#config/policy.ts';
import { createDirectory } from '#src/administration/directory.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createReadBrowser } from '#src/api/http/browser.ts';
import { createClientAddress } from '#src/api/http/client-address.ts';
import type { StreamPermits } from '#src/api/http/stream-permits.ts';
import { chartVersionOf } from '#src/calls/journal/chart-version.ts';
import { createNumberAuthentication } from '#src/calls/live/number-authentication.ts';
import { createRepeatedRequests } from '#src/calls/setup/repeated-requests.ts';
import { createStoredCalls } from '#src/calls/stored-calls.ts';
import { chartDefinition } from '#src/charts/chart-definition.ts';
import { callCharts, createChartDrawings } from '#src/charts/chart-drawings.ts';
import { createEndpoints } from '#src/events/endpoints.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import { createRequestCounting } from '#src/persistence/workspaces/request-counts.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import { healthOf } from './line-driver.ts';
import type { Runtime } from './runtime.ts';
import { createSimulatedPeople } from './simulator.ts';
import type { Agents } from './agents.ts';
import type { Calls } from './calls.ts';
import type { Cluster, SharedRecordings } from './cluster.ts';
import type { Events } from './events.ts';
import type { Telephony } from './telephony.ts';
import type { Outgoing } from './outgoing.ts';
import type { CallWatching } from './call-watching.ts';
import { createDataFolderWatch } from '#src/housekeeping/data-folder-watch.ts';

/** Parts of the gateway that the API uses. */
export type ApiParts = {
  telemetry: Telemetry;
  outgoing: Outgoing;
  events: Events;
  recordings: SharedRecordings;
  telephony: Telephony;
  agents: Agents;
  calls: Calls;
  cluster: Pick<Cluster, 'counting'>;
  streams: StreamPermits;
  version: string;
};

export const apiServicesOf = (
  { config, country, platformPolicy, database, sealing, clock, steadyClock, bus, logger }: Runtime,
  parts: ApiParts & { watching: CallWatching },
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
      repeatedRequests: createRepeatedRequests(database, sealing),
      storedCalls: createStoredCalls(database),
      recordings: parts.recordings,
      sipTrace: { days: config.sipTraceDays, isSimulated: config.lines === 'simulator' },
      watchFacts: (callId, onFact) => bus.subscribe('stored', onFact, callId),
      watchCall: parts.watching.watch,
      isHeldHere: parts.watching.isHeld,
      streams: parts.streams,
      simulator: telephony.simulator && createSimulatedPeople(telephony.simulator, database),
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
