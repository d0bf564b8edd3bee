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
  replyLimits,
  requestLimits,
} from '#config/policy.ts';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { createApi } from '#src/api/app.ts';
import { answerClientErrors } from '#src/api/client-errors.ts';
import { createCallDesk } from '#src/calls/call-desk.ts';
import { createLiveCalls } from '#src/calls/live-calls.ts';
import { createOpenLines } from '#src/calls/open-lines.ts';
import { recover } from '#src/calls/recover.ts';
import { createSwitchboard } from '#src/calls/switchboard.ts';
import { createDeliveryWorker } from '#src/events/delivery-worker.ts';
import { createWebhookTests } from '#src/events/test-event.ts';
import { createVault } from '#src/persistence/vault.ts';
import { createRecordings } from '#src/recordings/recordings.ts';
import { findSynthesizer } from '#src/speech/find-synthesizer.ts';
import { acceleratedClock, systemClock } from './clock.ts';
import { writeCredentials, type Credentials } from './start/credentials.ts';
import { prepareDataFolder } from './start/data-folder.ts';
import { listen } from './start/http-server.ts';
import { keepHouse } from './start/keep-house.ts';
import { keptMasterKey } from './start/master-key.ts';
import { chooseLines, whyDown } from './start/choose-lines.ts';
import { seed } from './start/seed.ts';
import { createSimulatedPeople } from './start/simulated-people.ts';
import { countryOf } from './start/country.ts';
import { startAgents } from './start/start-agents.ts';
import { startDatabase } from './start/start-database.ts';
import { startOutgoing } from './start/start-outgoing.ts';
import { startJournal } from './start/start-journal.ts';
import { version } from './version.ts';

export type Gateway = {
  credentials: Credentials;
  startedInMs: number;
  /** Takes no new calls, waits for those in progress, then ends everything that was started. */
  close(): Promise<void>;
  /** Hangs up the calls that `close` still waits for. */
  hurry(): void;
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
  const vault = createVault(
    config.masterKey ?? (await keptMasterKey(config.dataFolder)),
    config.oldMasterKeys,
  );
  const database = await startDatabase(config, logger, started);
  started.defer(keepHouse(database, logger));
  const seeded = await seed({ database, vault, dataFolder: config.dataFolder });

  // The journal, and what follows from it
  const liveCalls = createLiveCalls();
  const journalling = startJournal({
    database,
    liveCalls,
    clock: systemClock,
    limit: journalLimits.facts,
    logger,
  });
  const { journal, metrics } = journalling;
  await recover({ database, journal, node: config.node, now: systemClock.now, logger });
  started.defer(journalling.close);

  // Servers of customers
  const outgoing = await startOutgoing(config, { ...outgoingLimits, connectMs: agentTimes.connectMs });
  started.defer(outgoing.close);
  const deliveries = createDeliveryWorker({
    ...deliveryPolicy,
    db: database,
    vault,
    client: outgoing.receivers,
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
    country,
    callClock,
    openRecording: recordings.begin,
    synthesizer,
    logger,
  });
  started.defer(() => lines.close());
  const openLines = createOpenLines(lines.open);

  // Agents
  const agents = startAgents({
    client: outgoing.agents,
    clock: systemClock,
    limits: replyLimits,
    times: agentTimes,
    hangUp: (callId, options) => desk.hangUpOwnCall(callId, options),
    logger,
  });
  const reply = fromCallback<{ type: 'none' }, ReplyInput>(({ input, sendBack }) =>
    agents.startReply(input, sendBack),
  );

  // Calls
  const publish = ({ context }: { context: { callId: string } }, fact: CallFact): void => {
    journal.publish(context.callId, fact);
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
    publish: journal.publish,
    release(callId) {
      openLines.dispose(callId);
      agents.release(callId);
    },
    logger,
  });
  const desk = createCallDesk({
    database,
    vault,
    journal,
    liveCalls,
    switchboard,
    keepBrief: agents.keep,
    handshake: agents.handshake,
    canSignal: () => lines.health().ready,
    limits: { maxCalls: config.maxCalls, maxBacklog: journalLimits.admission },
    platformPolicy: platformCallPolicy,
    maxCallsInProgress: platformMaxCallsInProgress,
    times: callTimes,
    node: config.node,
    now: systemClock.now,
    logger,
  });
  await lines.start(desk.receiveCall);

  // The border
  const api = createApi({
    placeCall: desk.placeCall,
    requestHangup: desk.requestHangup,
    requestCancel: desk.requestCancel,
    database,
    vault,
    logger,
    clock: systemClock,
    country,
    limits: { ...requestLimits, perKey: { points: config.rateLimit, perSeconds: 60 } },
    recordings,
    simulator: simulator && createSimulatedPeople(simulator, database),
    whyUrlIsRefused: outgoing.whyUrlIsRefused,
    tryAgent: agents.tryAgent,
    webhookTests: createWebhookTests({
      db: database,
      vault,
      client: outgoing.receivers,
      clock: systemClock,
      timeoutMs: deliveryPolicy.timeoutMs,
    }),
    health: { isDraining: desk.admission.isDraining, whyLinesAreDown: () => whyDown(lines) },
    metrics: metrics.registry,
    version,
  });
  const answer = api.callback();
  const server = await listen((request, response) => void answer(request, response), {
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
    desk.admission.drain();
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
