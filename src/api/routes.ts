/** Every route of the gateway. */
import { tryAgent } from './agents/try-agent.ts';
import { cancelCall } from './calls/cancel-call.ts';
import { createCall } from './calls/create-call.ts';
import { getCall } from './calls/get-call.ts';
import { getCallEvents } from './calls/get-call-events.ts';
import { getRecording } from './calls/get-recording.ts';
import { getTranscript } from './calls/get-transcript.ts';
import { hangUp } from './calls/hang-up.ts';
import { collectKeys } from './calls/collect.ts';
import { pressKeys } from './calls/press-keys.ts';
import { cancelTransfer, transfer } from './calls/transfer.ts';
import { say } from './calls/say.ts';
import { pauseRecording, resumeRecording } from './calls/pause-recording.ts';
import { listCalls } from './calls/list-calls.ts';
import { postMcp } from './mcp/post-mcp.ts';
import { createNumber, deleteNumber, updateNumber, getNumber, listNumbers } from './numbers/numbers.ts';
import { issueKey, revealKey } from './numbers/number-key.ts';
import { putAgent } from './numbers/put-agent.ts';
import { putInboundAuth } from './numbers/put-inbound-auth.ts';
import { getHealth, getReadiness } from './operation/health.ts';
import { getMetrics } from './operation/get-metrics.ts';
import { getConsoleFile, getDocs, getHome } from './pages/console.ts';
import { getInspect } from './pages/get-inspect.ts';
import { getOpenApi } from './pages/get-openapi.ts';
import type { Route } from './http/route.ts';
import { cancelRehearsal, getRehearsal, listRehearsals, startRehearsal } from './rehearsals/rehearsals.ts';
import { signIn } from './sessions/sign-in.ts';
import { signOut, signOutEverywhere } from './sessions/sign-out.ts';
import { deleteCallee, getCallee, listCallees, putCallee } from './simulator/callees.ts';
import { getSimulatedCall, placeSimulatedCall } from './simulator/simulated-calls.ts';
import { createToken, revokeToken, getCurrentToken, listTokens } from './tokens/tokens.ts';
import { getCurrentGateway } from './operation/get-current-gateway.ts';
import { listGateways } from './operation/list-gateways.ts';
import { checkTrunk } from './trunks/check-trunk.ts';
import { createTrunk, deleteTrunk, updateTrunk, getTrunk, listTrunks } from './trunks/trunks.ts';
import { findRoute } from './trunks/find-route.ts';
import { listTrunkFigures } from './trunks/list-trunk-figures.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
  getWebhook,
  listWebhooks,
} from './webhooks/webhooks.ts';
import { getDelivery, listDeliveries, replayDelivery, testWebhook } from './webhooks/deliveries.ts';
import {
  eraseCall,
  getWorkspaceRecording,
  getWorkspaceTranscript,
  getWorkspaceCallEvents,
  getWorkspaceCall,
  listWorkspaceCalls,
} from './workspace/workspace-calls.ts';
import { exportCall } from './workspace/export-call.ts';
import { exportCallRecords } from './workspace/export-call-records.ts';
import { countWorkspaceCalls } from './workspace/count-calls.ts';
import { exportCalls } from './workspace/export-calls.ts';
import { exportAudit, listAudit } from './workspace/audit-log.ts';
import { getCallReplay } from './workspace/get-call-replay.ts';
import { getCallSip } from './workspace/get-call-sip.ts';
import { getChart, getChartDefinition } from './workspace/get-chart.ts';
import { listEngines } from './speech/list-engines.ts';
import { speakSample } from './speech/speak-sample.ts';
import { getFleet } from './workspace/get-fleet.ts';
import { getLatency } from './workspace/get-latency.ts';
import { getOverview } from './workspace/get-overview.ts';
import { getUsage } from './workspace/get-usage.ts';
import { getWorkspace, updateWorkspace } from './workspace/workspace.ts';

export const routes: readonly Route[] = [
  createCall,
  listCalls,
  getCall,
  getTranscript,
  getCallEvents,
  getRecording,
  pauseRecording,
  resumeRecording,
  pressKeys,
  collectKeys,
  say,
  transfer,
  cancelTransfer,
  hangUp,
  cancelCall,
  postMcp(() => routes),

  listNumbers,
  createNumber,
  getNumber,
  updateNumber,
  deleteNumber,
  putAgent,
  putInboundAuth,
  tryAgent,
  listEngines,
  speakSample,
  issueKey,
  revealKey,

  listWorkspaceCalls,
  exportCalls,
  countWorkspaceCalls,
  getWorkspaceCall,
  eraseCall,
  getWorkspaceCallEvents,
  getCallReplay,
  getCallSip,
  exportCall,
  exportCallRecords,
  getWorkspaceTranscript,
  getWorkspaceRecording,
  // This route comes before the image, whose path pattern also matches the path of the definition.
  getChartDefinition,
  getChart,
  listAudit,
  exportAudit,

  getWorkspace,
  updateWorkspace,
  getUsage,
  getOverview,
  getFleet,
  getLatency,
  listGateways,
  getCurrentGateway,
  listTokens,
  createToken,
  getCurrentToken,
  revokeToken,

  listTrunks,
  createTrunk,
  getTrunk,
  updateTrunk,
  deleteTrunk,
  checkTrunk,
  listTrunkFigures,
  findRoute,

  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  getDelivery,
  replayDelivery,

  placeSimulatedCall,
  getSimulatedCall,
  listCallees,
  putCallee,
  getCallee,
  deleteCallee,

  startRehearsal,
  listRehearsals,
  getRehearsal,
  cancelRehearsal,

  signIn,
  signOut,
  signOutEverywhere,

  getHealth,
  getReadiness,
  getMetrics,

  getHome,
  getConsoleFile,
  getDocs,
  getInspect,
  getOpenApi,
];
