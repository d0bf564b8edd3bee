/**
 * The composition root: the only place where all parts meet and where the charts are provided with what they do
 * (architecture 1). `startGateway` builds from the database outwards and opens the port last; `close` goes back the
 * same way, so that nothing that was acknowledged is lost.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { fromCallback } from 'xstate';
import type { Config } from '#config/config.ts';
import {
  agentTimes,
  callTimes,
  deliveryPolicy,
  journalLimits,
  outgoingLimits,
  platformCallPolicy,
  platformMaxCallsInProgress,
  requestLimits,
} from '#config/policy.ts';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { ReplyInput } from '#machines/reply.ts';
import type { Agent } from '#src/agents/agent.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import { createHandshake } from '#src/agents/handshake.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import { createApi } from '#src/api/app.ts';
import { answerClientErrors } from '#src/api/client-errors.ts';
import { createAdmission } from '#src/calls/admission.ts';
import type { PolicyOf } from '#src/calls/called-number.ts';
import { createJournal } from '#src/calls/journal.ts';
import { createLiveCalls } from '#src/calls/live-calls.ts';
import { openNumber } from '#src/calls/open-number.ts';
import { createOpenLines } from '#src/calls/open-lines.ts';
import { createPlaceCall } from '#src/calls/place-call.ts';
import { createReceiveCall } from '#src/calls/receive-call.ts';
import { recover } from '#src/calls/recover.ts';
import { createHangupRequests } from '#src/calls/request-hangup.ts';
import { createStartCall } from '#src/calls/start-call.ts';
import { createSummaries } from '#src/calls/summaries.ts';
import { createSwitchboard } from '#src/calls/switchboard.ts';
import { effectivePolicy } from '#src/domain/call-policy.ts';
import { isCountry, type Country } from '#src/domain/phone-number.ts';
import { StartError } from '#src/domain/start-error.ts';
import { createDeliveryWorker } from '#src/events/delivery-worker.ts';
import { createWebhookTests } from '#src/events/test-event.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import { endpointUrlProblem } from '#src/outgoing/endpoint-url.ts';
import { lastFactSequence, recordFact } from '#src/persistence/call-facts.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import { createVault } from '#src/persistence/vault.ts';
import { createRecordings } from '#src/recordings/recordings.ts';
import { readAgentCa } from './start/agent-ca.ts';
import { findSynthesizer } from '#src/speech/find-synthesizer.ts';
import { acceleratedClock, systemClock } from './clock.ts';
import { writeCredentials, type Credentials } from './start/credentials.ts';
import { prepareDataFolder } from './start/data-folder.ts';
import { listen } from './start/http-server.ts';
import { keptMasterKey } from './start/master-key.ts';
import { createMetrics } from './start/metrics.ts';
import { chooseLines } from './start/choose-lines.ts';
import { seed } from './start/seed.ts';
import { createSimulatedPeople } from './start/simulated-people.ts';
import { startDatabase } from './start/start-database.ts';
import { version } from './version.ts';

export type Gateway = {
  credentials: Credentials;
  startedInMs: number;
  /** Takes no new calls, waits for those in progress, then ends everything that was started. */
  close(): Promise<void>;
  /** Hangs up the calls that `close` still waits for. */
  hurry(): void;
};

const countryOf = (code: string): Country => {
  if (isCountry(code)) return code;
  throw new StartError(
    `GW_COUNTRY must be a country with a telephone numbering plan, such as KR (it is "${code}")`,
  );
};

/** How long lines get to confirm their end when calls are hung up by the gateway itself. */
const lastEndsMs = 6_000;

/**
 * Throws a StartError whose message is one line for the person who starts the gateway; what was started until then is
 * ended again.
 */
export const startGateway = async (config: Config, logger: Logger): Promise<Gateway> => {
  const begun = performance.now();
  await using started = new AsyncDisposableStack();

  const country = countryOf(config.country);

  // Storage
  await prepareDataFolder(config.dataFolder);
  const masterKey = config.masterKey ?? (await keptMasterKey(config.dataFolder));
  const vault = createVault(masterKey, config.oldMasterKeys);
  const database = await startDatabase(config, logger, started);
  const seeded = await seed({ database, vault, dataFolder: config.dataFolder });

  // The journal, and what follows from it
  const liveCalls = createLiveCalls();
  const journal = createJournal({
    write: async (callId, sequence, fact) => {
      await recordFact(database, callId, sequence, fact);
    },
    lastSequence: (callId) => lastFactSequence(database, callId),
    onWritten(callId, fact) {
      if (fact.type !== 'call.ended') return;
      logger.info({ call_id: callId, status: fact.status, end_reason: fact.reason }, 'a call ended');
      metrics.callEnded(fact.status, fact.reason);
      summaries.write(callId);
    },
    isPassing: isTransient,
    clock: systemClock,
    logger,
    limit: journalLimits.facts,
  });
  const summaries = createSummaries({ database, journal, logger });
  const metrics = createMetrics({ callsInProgress: liveCalls.count, factsWaiting: journal.backlog });
  await recover({ database, journal, node: config.node, now: systemClock.now, logger });
  started.defer(async () => {
    await summaries.settled();
    await journal.settled();
  });

  // Servers of customers
  const rules = { allowedHosts: config.agentAllowedHosts, allowLoopback: config.agentAllowLoopback };
  const ca = await readAgentCa(config.agentCaFile);
  const client = createEndpointClient({
    rules,
    connectMs: agentTimes.connectMs,
    ...outgoingLimits,
    ...(ca === undefined ? {} : { ca }),
  });
  started.defer(() => client.close());
  const deliveries = createDeliveryWorker({
    ...deliveryPolicy,
    db: database,
    vault,
    client,
    clock: systemClock,
    logger,
    random: Math.random,
  });
  started.defer(() => deliveries.close());

  // Lines and recordings
  const callClock = config.lines === 'simulator' ? acceleratedClock(config.simulatorSpeed) : systemClock;
  const recordings = await createRecordings({
    folder: join(config.dataFolder, 'recordings'),
    publish: journal.publish,
    clock: systemClock,
    logger,
  });
  started.defer(() => recordings.close());
  const synthesizer = await findSynthesizer({ logger, path: process.env['PATH'] ?? '' });
  const { lines, simulator } = chooseLines({
    config,
    callClock,
    openRecording: recordings.begin,
    synthesizer,
    logger,
  });
  started.defer(() => lines.close());
  const openLines = createOpenLines(lines.open);

  // Agents
  const agents = new Map<string, Agent>();
  const startReply = createStartReply({
    findAgent: (callId) => agents.get(callId),
    times: agentTimes,
    clock: systemClock,
    logger,
  });
  const reply = fromCallback<{ type: 'none' }, ReplyInput>(({ input, sendBack }) =>
    startReply(input, sendBack),
  );

  // Calls
  const publish = ({ context }: { context: { callId: string } }, fact: CallFact): void =>
    journal.publish(context.callId, fact);
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
    publish: journal.publish,
    release(callId) {
      openLines.dispose(callId);
      agents.get(callId)?.end?.();
      agents.delete(callId);
    },
    logger,
  });
  const hangups = createHangupRequests({
    database,
    switchboard,
    liveCalls,
    canSignal: () => lines.health().ready,
  });
  const createAgent = createAgents({ client, hangUp: hangups.hangUpOwnCall, logger });
  const admission = createAdmission({
    liveCalls,
    backlog: journal.backlog,
    limits: { maxCalls: config.maxCalls, maxBacklog: journalLimits.admission },
  });
  const policyOf: PolicyOf = ({ policy, workspace }) =>
    effectivePolicy(policy, workspace.policy, platformCallPolicy);
  const startCall = createStartCall({
    database,
    admission,
    journal,
    switchboard,
    keepBrief: (callId, brief) => agents.set(callId, createAgent(brief)),
    maxCallsInProgress: platformMaxCallsInProgress,
    times: callTimes,
    node: config.node,
    logger,
  });
  const placeCall = createPlaceCall({ startCall, policyOf, now: systemClock.now });
  const receiveCall = createReceiveCall({
    database,
    findNumber: async (digits) => {
      const number = await findNumberByDigits(database, digits);
      return number && openNumber(number, vault);
    },
    policyOf,
    handshake: createHandshake({ client, timeoutMs: agentTimes.handshakeMs, clock: systemClock }),
    startCall,
    node: config.node,
    logger,
  });
  await lines.start(receiveCall);

  // The border
  const api = createApi({
    placeCall: (number, request) => placeCall(openNumber(number, vault), request),
    requestHangup: hangups.requestHangup,
    requestCancel: hangups.requestCancel,
    database,
    vault,
    logger,
    clock: systemClock,
    country,
    limits: { ...requestLimits, perKey: { points: config.rateLimit, perSeconds: 60 } },
    recordings,
    simulator: simulator && createSimulatedPeople(simulator, database),
    whyUrlIsRefused: async (url) => endpointUrlProblem(url, rules),
    webhookTests: createWebhookTests({
      db: database,
      vault,
      client,
      clock: systemClock,
      timeoutMs: deliveryPolicy.timeoutMs,
    }),
    health: {
      isDraining: admission.isDraining,
      whyLinesAreDown() {
        const health = lines.health();
        return health.ready ? undefined : health.detail;
      },
    },
    metrics: metrics.registry,
    version,
  });
  const server = await listen(api.callback(), {
    host: config.host,
    port: config.port,
    prepare: answerClientErrors,
  });
  started.defer(() => server.close());
  await deliveries.start();
  const credentials = await writeCredentials(config.dataFolder, {
    base_url: server.url,
    console_url: `${server.url}/`,
    ...seeded,
  });

  const running = started.move();
  const endCalls = async (): Promise<void> => {
    admission.drain();
    await switchboard.empty(config.drainSec * 1000);
    switchboard.closeAll();
    await switchboard.empty(lastEndsMs);
  };
  return {
    credentials,
    startedInMs: performance.now() - begun,
    async close() {
      await endCalls();
      await running.disposeAsync();
    },
    hurry: () => switchboard.closeAll(),
  };
};
