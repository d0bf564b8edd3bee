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
import { createNumber } from './numbers/create-number.ts';
import { deleteNumber } from './numbers/delete-number.ts';
import { getNumber } from './numbers/get-number.ts';
import { listNumbers } from './numbers/list-numbers.ts';
import { issueKey, revealKey } from './numbers/number-key.ts';
import { putAgent } from './numbers/put-agent.ts';
import { putInboundAuth } from './numbers/put-inbound-auth.ts';
import { updateNumber } from './numbers/update-number.ts';
import { getHealth, getReadiness } from './operation/health.ts';
import { getMetrics } from './operation/get-metrics.ts';
import { getConsoleFile } from './pages/get-console-file.ts';
import { getDocs } from './pages/get-docs.ts';
import { getHome } from './pages/get-home.ts';
import { getInspect, getInspectScript, getInspectStyle } from './pages/get-inspect.ts';
import { getOpenApi } from './pages/get-openapi.ts';
import type { Route } from './http/route.ts';
import { signIn } from './sessions/sign-in.ts';
import { signOut, signOutEverywhere } from './sessions/sign-out.ts';
import { getCallee, putCallee } from './simulator/callees.ts';
import { getSimulatedCall } from './simulator/get-simulated-call.ts';
import { placeSimulatedCall } from './simulator/place-simulated-call.ts';
import { createToken } from './tokens/create-token.ts';
import { listGateways } from './operation/list-gateways.ts';
import { getCurrentToken, listTokens } from './tokens/list-tokens.ts';
import { revokeToken } from './tokens/revoke-token.ts';
import { checkTrunk } from './trunks/check-trunk.ts';
import { createTrunk } from './trunks/create-trunk.ts';
import { deleteTrunk } from './trunks/delete-trunk.ts';
import { findRoute } from './trunks/find-route.ts';
import { getTrunk } from './trunks/get-trunk.ts';
import { listTrunkFigures } from './trunks/list-trunk-figures.ts';
import { listTrunks } from './trunks/list-trunks.ts';
import { updateTrunk } from './trunks/update-trunk.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { getWebhook } from './webhooks/get-webhook.ts';
import { listDeliveries } from './webhooks/list-deliveries.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { replayDelivery } from './webhooks/replay-delivery.ts';
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { testWebhook } from './webhooks/test-webhook.ts';
import { updateWebhook } from './webhooks/update-webhook.ts';
import { eraseCall } from './workspace/erase-call.ts';
import { exportCallRecords } from './workspace/export-call-records.ts';
import { exportCalls } from './workspace/export-calls.ts';
import { exportAudit } from './workspace/export-audit.ts';
import { getCallReplay } from './workspace/get-call-replay.ts';
import { getCallSip } from './workspace/get-call-sip.ts';
import { getChart, getChartDefinition } from './workspace/get-chart.ts';
import { listEngines } from './speech/list-engines.ts';
import { speakSample } from './speech/speak-sample.ts';
import { getOverview } from './workspace/get-overview.ts';
import { getUsage } from './workspace/get-usage.ts';
import { getWorkspace } from './workspace/get-workspace.ts';
import { getWorkspaceCall } from './workspace/get-workspace-call.ts';
import { getWorkspaceCallEvents } from './workspace/get-workspace-call-events.ts';
import { getWorkspaceRecording } from './workspace/get-workspace-recording.ts';
import { getWorkspaceTranscript } from './workspace/get-workspace-transcript.ts';
import { listAudit } from './workspace/list-audit.ts';
import { listWorkspaceCalls } from './workspace/list-workspace-calls.ts';
import { updateWorkspace } from './workspace/update-workspace.ts';

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
  getWorkspaceCall,
  eraseCall,
  getWorkspaceCallEvents,
  getCallReplay,
  getCallSip,
  exportCallRecords,
  getWorkspaceTranscript,
  getWorkspaceRecording,
  // Before the image, whose path pattern also matches that of the definition.
  getChartDefinition,
  getChart,
  listAudit,
  exportAudit,

  getWorkspace,
  updateWorkspace,
  getUsage,
  getOverview,
  listGateways,
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
  replayDelivery,

  placeSimulatedCall,
  getSimulatedCall,
  putCallee,
  getCallee,

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
  getInspectScript,
  getInspectStyle,
  getOpenApi(() => routes),
];
