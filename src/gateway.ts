/**
 * Composition root: the only module that connects all parts and gives the charts their actors
 * (guides/design/architecture.md, "Rings"). `startGateway` builds the parts from the database outwards and opens the
 * port last. `close` ends them in the opposite order, so that acknowledged data is stored.
 */
import type { Logger } from 'pino';
import { fromCallback } from 'xstate';
import type { Config } from '#config/config.ts';
import * as policy from '#config/policy.ts';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { trunkMachine, type TrunkActors } from '#machines/trunk-life.ts';
import { createStreamPermits } from '#src/api/http/stream-permits.ts';
import { createCallBus } from '#src/calls/call-bus.ts';
import { createCallTime } from '#src/calls/live/call-time.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { createOverheard } from '#src/calls/live/overheard.ts';
import { createOrphanedCalls } from '#src/continuity/orphaned-calls.ts';
import { createFreezeFence } from '#src/domain/fence.ts';
import { prepareCalls } from '#src/persistence/calls/prepare-calls.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import { openDatabaseClock } from '#src/persistence/database/database-clock.ts';
import { observeCalls } from '#src/telemetry/observe-calls.ts';
import { createClocks } from './clocks.ts';
import { nodeDuties, startTakeOver, takeLeftCalls, startHandOver, endCalls } from './parts/continuity.ts';
import { countryOf, platformPolicyOf } from './start/platform-policy.ts';
import { linkOfCredentials, writeCredentials, type Credentials } from './start/credentials.ts';
import { type Runtime, realEnvironment, type Environment } from './parts/runtime.ts';
import { urlOf } from './start/local-url.ts';
import { patiently } from './start/patiently.ts';
import { startAgents, startLanguageModel } from './parts/agents.ts';
import { startCalls, type CallWorld, startJournal } from './parts/calls.ts';
import { sharedLines, startCluster } from './parts/cluster.ts';
import { startEvents } from './parts/events.ts';
import { startOutgoing } from './parts/outgoing.ts';
import { beginMediaThread, startTelephony } from './parts/telephony.ts';
import { keepToRetention } from './housekeeping/retention.ts';
import { startRecordings, startStorage, type Storage } from './parts/storage.ts';
import { version } from './version.ts';
import { createVirtualClock } from './virtual-clock.ts';

export type Gateway = {
  credentials: Credentials;
  startedInMs: number;
  /** Number of calls in progress at this gateway. */
  callsInProgress(): number;
  /**
   * Creates a single-use link that signs a browser in as the admin of the credentials. Resolves to undefined if the
   * admin's token is revoked or expired.
   */
  makeSignInLink(): Promise<string | undefined>;
  /** Refuses new calls, waits for calls in progress, then ends all parts. */
  close(): Promise<void>;
  /** Hangs up the calls that `close` still waits for, and shortens other waits. */
  hurry(): void;
};

const trunkMachineWith = (actors: TrunkActors): typeof trunkMachine => trunkMachine.provide({ actors });

const callMachineWith = ({ line, startReply, publish, askForTransfer }: CallWorld): typeof callMachine => {
  const reply = fromCallback<{ type: 'none' }, ReplyInput>(({ input, sendBack }) =>
    startReply(input, sendBack),
  );
  const conversation = conversationMachine.provide({ actors: { reply }, actions: { publish } });
  return callMachine.provide({ actors: { line, conversation }, actions: { publish, askForTransfer } });
};

/** Loads the modules of the API, which takes long: the calls of a dead process are taken over before. */
const loadHttpServer = async (importInPieces: StartSteps['importInPieces']) => {
  await importInPieces(new URL('./parts/http.ts', import.meta.url).href);
  // The route imports this module on demand (src/api/mcp/post-mcp.ts).
  await importInPieces(new URL('./api/mcp/answer-message.ts', import.meta.url).href);
  return import('./parts/http.ts');
};

const openRuntime = async (
  config: Config,
  logger: Logger,
  started: AsyncDisposableStack,
  environment: Environment,
): Promise<Runtime & Pick<Storage, 'seeded'>> => {
  const { steadyClock, systemClock } = createClocks();
  const country = countryOf(config.country);
  const platformPolicy = platformPolicyOf(config);
  const startMediaThread = beginMediaThread(config, started);
  const storage = await startStorage(config, logger, started, environment);
  const keeping = { ...storage, numbers: policy.retention, clock: systemClock, logger };
  started.defer(keepToRetention(keeping).close);
  const databaseClock = await openDatabaseClock(storage.database, { steady: steadyClock, logger });
  started.defer(databaseClock.close);
  const isHurried = config.lines === 'simulator' && config.simulatorSpeed !== 1;
  const callClock = isHurried ? createVirtualClock(config.simulatorSpeed) : steadyClock;
  return {
    ...storage,
    config,
    country,
    platformPolicy,
    clock: systemClock,
    steadyClock,
    databaseClock: databaseClock.clock,
    bus: createCallBus({ logger }),
    callTime: createCallTime({ wall: systemClock.now, steady: steadyClock.now }),
    callClock,
    fence: createFreezeFence(steadyClock, policy.cluster.mostGapMs, (gapMs) =>
      logger.warn(
        { gap_ms: gapMs },
        'this process was frozen; commands of its calls wait until the database confirms which gateway holds them',
      ),
    ),
    startMediaThread,
    logger,
    environment,
    started,
  };
};

/** Writes a newcomer's credentials to the data folder. */
const keepCredentials = (config: Config, seeded: Storage['seeded'], url: string): Promise<Credentials> =>
  writeCredentials(config.dataFolder, { base_url: url, console_url: `${url}/`, ...seeded });

/** Steps of the start for the process that runs the gateway. */
export type StartSteps = {
  /**
   * Loads the module with this URL and its imports in pieces, between which calls in progress continue. Never rejects:
   * the following import of the module reports errors.
   */
  importInPieces(url: string): Promise<void>;
  /** Called when all modules are loaded, before this gateway takes calls of others. `calls`: its calls in progress. */
  loaded(calls: number): void;
};

/** Steps of a process whose modules are already loaded, or that has no calls. */
const noSteps: StartSteps = { async importInPieces() {}, loaded() {} };

/**
 * Starts the gateway. Throws a StartError with one line for the person who starts it; parts that were started until
 * then are ended.
 */
export const startGateway = async (
  config: Config,
  logger: Logger,
  environment: Environment = realEnvironment,
  steps: StartSteps = noSteps,
): Promise<Gateway> => {
  const begun = performance.now();
  await using started = new AsyncDisposableStack();
  const { seeded, ...runtime } = await openRuntime(config, logger, started, environment);
  const telemetry = observeCalls(runtime.bus, runtime.steadyClock, policy, logger, started);
  const languageModel = startLanguageModel(runtime, telemetry.metrics.languageModelFailed);

  // Journal, and calls of a dead process of this gateway
  const cluster = await startCluster(runtime);
  const journalling = startJournal(runtime, { languageModel });
  const orphanedCalls = createOrphanedCalls({ ...runtime, journal: journalling.journal });
  const left = await takeLeftCalls(runtime, orphanedCalls, journalling);

  // Dependencies of calls
  const liveCalls = createLiveCalls();
  const outgoing = await startOutgoing(runtime);
  const events = await startEvents(runtime, outgoing);
  const recordings = await startRecordings(runtime, journalling.journal, cluster.otherParts);
  const overheard = createOverheard({ bus: runtime.bus, find: (callId) => switchboard.find(callId) });
  const telephony = await startTelephony(runtime, {
    checkpoints: journalling.checkpoints,
    isResumed: left.isResumed,
    liveCalls,
    outgoing,
    recordings,
    overheard,
    cluster,
    onCutOff: (callIds, isCutOff) => handOver.giveCutOff(callIds, isCutOff),
    playPersona: languageModel.rehearsing?.playPersona ?? null,
    trunkMachineWith,
  });
  telemetry.metrics.watch({ ...runtime, ...telephony, journal: journalling.journal, liveCalls });
  const agents = startAgents(runtime, { telemetry, outgoing, languageModel });

  // Calls
  const used = { telemetry, journalling, liveCalls, recordings, overheard, telephony, agents, cluster };
  const calls = startCalls(runtime, used, callMachineWith);
  const parts = { ...used, calls };
  const { control, switchboard } = calls;
  await telephony.lines.start(calls.onArrival);
  const takeOver = startTakeOver(runtime, parts, orphanedCalls);
  await takeOver.resume(left.waiting);
  // Handed-over calls would wait for the rest of the start, and continue at their gateway until then.
  let isLoaded = false;
  await cluster.open({
    perform: control.performHere,
    take: async (calls) => isLoaded && takeOver.take(calls),
    scriptProgress: (callId) => telephony.simulator?.scriptProgress(callId),
    condition: () => ({ version, load: telemetry.load() }),
    ...nodeDuties(runtime, parts, takeOver),
  });
  await patiently(() => cluster.takes(true));
  // Others keep the registrations that they share with this gateway only from now on.
  if (sharedLines(config) !== null) telephony.trunks.registerAgain();
  const handOver = startHandOver(runtime, { ...parts, takeOver });

  // The rest of the start takes processor time: resumed calls first have their lines, and their facts are stored.
  const { adoptTimeoutMs } = policy.callTimes;
  await switchboard.linesTaken(adoptTimeoutMs);
  await doneWithin(runtime.steadyClock, adoptTimeoutMs, journalling.journal.settled());
  const prepared = prepareCalls(runtime.database).catch((error: unknown) =>
    logger.warn(
      { err: error },
      'the statements of calls could not be prepared; the first calls prepare them',
    ),
  );
  // The connections close only after their last statement.
  started.defer(() => prepared);
  await prepared;

  // HTTP server. The credentials are written before the server listens, or afterwards if the port is 0.
  const { startHttpServer } = await loadHttpServer(steps.importInPieces);
  const { host, port } = config;
  const kept = port === 0 ? null : await keepCredentials(config, seeded, urlOf(host, port));
  const streams = createStreamPermits({ perKey: policy.streamsPerKey, clock: runtime.steadyClock });
  const server = await startHttpServer(runtime, {
    ...parts,
    recordings: cluster.share(recordings),
    outgoing,
    events,
    streams,
    languageModel,
    version,
  });
  await cluster.listensAt(server.url);
  await patiently(events.deliveries.start);
  const credentials = kept ?? (await keepCredentials(config, seeded, server.url));

  steps.loaded(liveCalls.count.get());
  isLoaded = true;
  telemetry.eventLoop.ready();
  const running = started.move();
  return {
    credentials,
    startedInMs: performance.now() - begun,
    callsInProgress: () => liveCalls.count.get(),
    makeSignInLink: () => linkOfCredentials(runtime, credentials),
    async close() {
      const { admission } = calls;
      const { lines } = telephony;
      const ending = { admission, switchboard, lines, handOver, streams, logger };
      await endCalls(ending, config.drainSec, policy.closing);
      await running.disposeAsync();
    },
    hurry() {
      // The hand-over comes first, because calls that another process takes over must not be hung up.
      void handOver.finish().finally(switchboard.closeAll);
      journalling.hurry();
    },
  };
};
