/**
 * The platform's limits, time-outs and intervals that an operator or a reader would look for. Names of durations
 * include the unit. Other constants are defined next to the code that uses them: protocol constants (RFC timers, 20 ms
 * frames, limits documented by servers), internals of a mechanism (polling intervals, silence levels), the pace of
 * simulated people, and values that the API document promises in words.
 */
export { controlProbe, inboundAccess, mediaServers, trunkLifeTimes, trunkTimes } from './line-policy.ts';
export { cluster, shortestParkSec } from './cluster-policy.ts';
export { loadLimits } from './load-policy.ts';
export { answeringMachine, listening, turnModelLimits } from './listening-policy.ts';

/** Default call policy if neither the number nor its workspace sets one (guides/design/calls.md, "Policy"). */
export const platformCallPolicy = {
  maxDurationSec: 1800,
  defaultDurationSec: 600,
  silenceTimeoutSec: 30,
  ringTimeoutSec: 45,
  maxConcurrentCalls: 100,
  recordingEnabled: true,
  bargeIn: { mode: 'pause', onsetMs: 80, speechMs: 600, resumeMs: 500 },
  turnEnd: { mode: 'pause', minSilenceMs: 200, maxSilenceMs: 3_000 },
  retentionDays: { recordings: null, words: null },
  consent: { announce: null, require: 'none' },
} as const;

/**
 * Destinations that are denied unless `GW_DESTINATIONS` or a workspace allows them: international and premium-rate
 * numbers.
 */
export const platformDeniedDestinations = ['premium', 'international'] as const;

/** Default maximum of calls in progress over all numbers of a workspace. */
export const platformMaxCallsInProgress = 1_000;

/** The journal of calls, which buffers while the database is unavailable. */
export const journalLimits = {
  /** Maximum of buffered journal entries. */
  facts: 200_000,
  retry: { firstMs: 100, longestMs: 5_000 },
  /**
   * State transitions of calls, which are written in batches after a short delay. Beyond `limit`, which an outage of a
   * day can reach, transitions are dropped.
   */
  transitions: { gatherMs: 1_000, batch: 1_000, limit: 100_000, retryMs: 5_000 },
  /**
   * Checkpoints of calls (`CheckpointsOptions` of src/continuity). Progress is written at most `gatherMs` late, so a
   * crash loses no more of a conversation.
   */
  checkpoints: {
    gatherMs: 100,
    dropMs: 1_000,
    batch: 500,
    retry: { firstMs: 100, longestMs: 5_000 },
  },
} as const;

/**
 * Stored SIP messages of calls (`CaptureLimits` of sip/drachtio/capture), which are written in batches after a short
 * delay. `limit` is the number of characters buffered while the database is unavailable.
 */
export const sipTrace = {
  limits: {
    messages: 300,
    characters: 16_384,
    unclaimed: 1_000,
    unclaimedMessages: 6,
    lingerMs: 64_000,
  },
  writing: { gatherMs: 1_000, batch: 200, limit: 16 * 1024 * 1024, retryMs: 5_000 },
  sweeping: { everyMs: 3_600_000, batch: 2_000 },
  collector: { gatherMs: 500, limit: 5_000, lookUpMs: 60_000, closeMs: 1_000 },
} as const;

/**
 * Time limits of the database (`PoolLimits` and `NodeSessionLimits` of src/persistence). A frozen database server is
 * detected within `beatMs + beatAnswerMs`. Waiting requests then fail, and later ones fail immediately.
 */
export const databaseLimits = {
  connectMs: 5_000,
  statementMs: 8_000,
  answerMs: 10_000,
  idleMs: 30_000,
  keepAliveMs: 10_000,
  endMs: 2_000,
  beatMs: 2_000,
  beatAnswerMs: 5_000,
  retryFirstMs: 100,
  retryLongestMs: 1_000,
} as const;

/** Interval of refreshing the cached API keys of the calls in progress (src/calls/live/known-keys.ts). */
export const knownKeysMs = 5_000;

/**
 * Time to wait for a database that does not respond before a cached key is accepted, so that a hang-up is not delayed.
 */
export const knownKeyPatienceMs = 1_000;

/** Time limits of the shutdown, in addition to GW_DRAIN_SEC for calls in progress. */
export const closing = {
  /** Ending the calls at shutdown (`EndCallsNumbers` of src/start). */
  farewellMs: 10_000,
  /** Time in which lines must confirm their end after the gateway has hung up all calls. */
  lastEndsMs: 6_000,
  lastFactsMs: 2_000,
  /** Hand-over of calls at shutdown to another gateway (`HandOverNumbers` of src/continuity). */
  handOver: { lookMs: 50, chooseMs: 1_000, giveMs: 15_000, batch: 4, atOnce: 2, silenceMs: 3_000 },
  /** Maximum time for which a gateway that takes calls over waits for their lines before it confirms them. */
  handOverLinesMs: 1_000,
  /** Time for which the shutdown waits until all data of handed-over calls is stored. */
  handOverWriteMs: 5_000,
  /** Time for which the shutdown waits for an unavailable database: normally, and after the second signal. */
  journalMs: 5_000,
  hurriedJournalMs: 1_000,
  /** Time for which the shutdown waits for API requests in progress. */
  requestsMs: 5_000,
  /** Maximum time for storing the last checkpoints of calls. */
  checkpointsMs: 2_000,
  /** Limit of the whole shutdown, after which unfinished work is abandoned. */
  longestMs: 45_000,
  /** Limit of the whole shutdown, counted from the second signal. */
  hurriedMs: 12_000,
} as const;

/** Search for a call that is moving between gateways (`InCallRequestsOptions` of src/calls). */
export const underway = { forMs: 5_000, lookMs: 100 } as const;

/** Queue limits of one call (`QueueLimits` of src/calls). */
export const queueLimits = { facts: 1_000, digitsMs: 60_000, transfersInVain: 20 } as const;

/** Maximum waits at the end of a call. */
export const callTimes = {
  /** Maximum time after which a pending hang-up ends the call. */
  farewellWaitMs: 30_000,
  /** Time after which a line that does not confirm a hang-up is abandoned. */
  hangUpTimeoutMs: 5_000,
  /** Time after which a call that could not be taken over is ended. */
  adoptTimeoutMs: 5_000,
} as const;

/** Limits of a request to an agent endpoint (guides/design/agents.md, "Time limits"). */
export const agentTimes = {
  connectMs: 3_000,
  firstTokenMs: 8_000,
  wholeReplyMs: 60_000,
  handshakeMs: 3_000,
  /** Pause of a reply after which the words received so far are spoken if possible. */
  idleFlushMs: 250,
  /** Time limit of all turns of a trial of an agent by the admin API. */
  wholeTrialMs: 60_000,
} as const;

/**
 * Time limits of LangGraph requests other than replies (`GraphTimes` of src/agents). Creating a thread has the time
 * limit of the first words.
 */
export const graphTimes = {
  threadMs: agentTimes.firstTokenMs,
  cancelMs: 3_000,
  cancelWaitMs: 1_500,
  arrivalMs: 2_000,
} as const;

/** Time limits of the built-in agent's language model. */
export const languageModelLimits = {
  connectMs: 3_000,
  connections: 2_048,
  /** Time limit slightly shorter than an agent's, so that the logged failure names the model and not the agent. */
  firstTokenMs: 7_500,
  summaryMs: 20_000,
} as const;

/** Maximum sizes of an agent's streamed reply (`EndpointWorld` of src/agents/ask-endpoint.ts). */
export const replyLimits = {
  streamBytes: 16 * 1024 * 1024,
  lineCharacters: 2 * 1024 * 1024,
} as const;

/** Requests to customers' servers. */
export const outgoingLimits = {
  /** Maximum size of a body in bytes. A longer reply of an agent counts as a failure. */
  maxBodyBytes: 256 * 1024,
  /**
   * Maximum number of concurrent requests of all workspaces. A single workspace may use half of them; if two workspaces
   * compete, each may use a third (`permits.ts` of src/outgoing).
   */
  requests: {
    /**
     * Number of concurrent agent requests for each call that GW_MAX_CALLS allows. With two, a workspace that has all
     * calls can still send one request for each of them.
     */
    agentsPerCall: 2,
    handshakes: 512,
    /** Maximum number of concurrent manual trials of agents and endpoints. */
    trials: 64,
    /** Larger than `deliveryPolicy.inAll`, because fair shares of attempts are enforced when deliveries are claimed. */
    receivers: 256,
  },
  /** Maximum number of concurrent DNS look-ups, shared in the same way. */
  lookUps: 256,
  /** DNS cache: time limits and lifetimes (`NameLimits` of src/outgoing). */
  names: {
    lookUpMs: 2_500,
    shortestTtlSec: 5,
    longestTtlSec: 300,
    failureMs: 5_000,
    staleMs: 3_600_000,
    names: 10_000,
  },
} as const;

/**
 * Circuit breaker of an agent endpoint, which opens after three different calls in a row got no response (no
 * connection, or no words in time) and no other call got one meanwhile. Two failed turns in a row end a call, so the
 * cool-down is short.
 */
export const agentBreakers = { opensAfter: 3, coolDown: { firstMs: 1_000, longestMs: 15_000 } } as const;

/** Delivery of events (guides/design/events.md, "Delivery"). */
export const deliveryPolicy = {
  /** Delays before each attempt in seconds; after the last attempt the delivery is dead. */
  scheduleSec: [0, 5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400],
  /** Fraction by which each delay is extended at most, so that retries are not synchronized. */
  jitter: 0.2,
  /** Maximum delay that is accepted from `Retry-After`. */
  longestRetryAfterSec: 86_400,
  timeoutMs: 15_000,
  /**
   * Maximum number of concurrent attempts, per endpoint and for this gateway in total. A single workspace may use half
   * of the total, and less if others compete.
   */
  perEndpoint: 5,
  inAll: 100,
  /** Circuit breaker of an endpoint, which opens after this number of deliveries in a row without any response. */
  breakers: { opensAfter: 5, coolDown: { firstMs: 5_000, longestMs: 60_000 } },
  /** Time for which the shutdown waits for attempts in progress. */
  closeMs: 3_000,
} as const;

/** Time limits of HTTP clients for headers and request, and for idle connections. */
export const httpTimes = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 65_000 } as const;

/** Limits of the API. The rate limit per key is the setting GW_RATE_LIMIT. */
export const requestLimits = {
  /** Maximum number of failed authentications per address. */
  failuresPerAddress: { points: 120, perSeconds: 60 },
  /**
   * Maximum size of a body, which fits the longest instruction even if each of its characters is encoded as two escapes
   * of six bytes.
   */
  bodyBytes: 128 * 1024,
  /** Event streams of calls: keep-alive and time limits (`EventStreamTimes` of src/api/calls). */
  eventStream: {
    keepAliveMs: 15_000,
    slowReaderMs: 30_000,
    pollMs: 1_000,
    revalidateMs: 5_000,
    lateFactsMs: 60_000,
    retryMs: 2_000,
  },
  readinessMs: 2_000,
  /** Time to wait for the database that counts requests across gateways. */
  countingMs: 3_000,
} as const;

/** Maximum number of open event streams per key. */
export const streamsPerKey = 20;

/** Rehearsals: intervals and limits of runs. */
export const rehearsalTimes = {
  /** Interval in which a queued run tries to start. */
  claimMs: 500,
  /** Interval in which the gateway of a run shows that it is alive. */
  aliveMs: 5_000,
  /** Maximum duration of a run. */
  mostMs: 3_600_000,
  /** Maximum number of waiting and running suites of a workspace. */
  mostWaiting: 20,
  /** Number of finished runs that are stored for each workspace. */
  mostKept: 200,
} as const;

/** Speech recognition and synthesis: time limits and failover (`EngineLimits` and `FailOverNumbers` of src/speech). */
export const speechEngines = {
  limits: {
    connectMs: 3_000,
    firstAudioMs: 4_000,
    wholeSpeechMs: 30_000,
    longestSpeechMs: 120_000,
    answerMs: 15_000,
    preRollMs: 300,
    longestSentenceMs: 20_000,
    longestWaitingMs: 30_000,
  },
  failOver: {
    coolDown: { firstMs: 5_000, longestMs: 120_000 },
    keptMs: 15_000,
    steadyMs: 10_000,
  },
  /** Cache of audio for repeated sentences, per synthesizer. */
  rememberedBytes: 16 * 1024 * 1024,
} as const;

/**
 * Storing recordings: time limits, uploads and clean-up (`StoreLimits`, `StoreKeeperOptions`, `PartUploadNumbers` and
 * `AbandonedNumbers` of src/recordings).
 */
export const recordings = {
  limits: { connectMs: 5_000, stallMs: 30_000, partBytes: 8 * 1024 * 1024 },
  uploads: {
    atOnce: 4,
    retryFirstMs: 1_000,
    retryLongestMs: 300_000,
    /** Time after which a recording that has waited for an unavailable store is completed locally: a day. */
    pendingMs: 86_400_000,
  },
  /** Uploads of raw parts during the calls, in pieces of GW_RECORDINGS_S3_PART_SEC. */
  parts: {
    mostBytes: 1024 * 1024,
    atOnce: 8,
    retryFirstMs: 1_000,
    retryLongestMs: 30_000,
    closeMs: 10_000,
  },
  /** Longer than a gateway waits for its store, so that by then the gateway has completed all of its own recordings. */
  abandoned: { everyMs: 60_000, afterMs: 90_000_000 },
  /** Encoding after the calls. At shutdown the gateway waits for the encoding for up to `closeMs`. */
  encoding: { threadsPerProcessor: 0.5, idleMs: 30_000, closeMs: 20_000 },
  /**
   * Making recordings of raw parts (`AssemblyNumbers` of src/recordings). A restart takes seconds; after `waitMs` the
   * recording does without the parts of gateways that are unavailable. `keepMs` is that of `abandoned`. `overdueMs` is
   * longer than facts usually wait for the database.
   */
  assembly: {
    everyMs: 5_000,
    askAgainMs: 1_000,
    waitMs: 30_000,
    storeMs: 86_400_000,
    keepMs: 90_000_000,
    longestBackoffMs: 300_000,
    overdueMs: 60_000,
  },
  erased: { everyMs: 10_000, atOnce: 1_000 },
} as const;

/** Erasing data after its retention (`RetentionNumbers` of src/housekeeping). */
export const retention = { everyMs: 60_000, batch: 200 } as const;

/** Time for which the result of a check that the data folder is writable is cached. */
export const dataFolderMs = 5_000;

/** Measuring the event loop delay (`EventLoopNumbers` of src/telemetry). */
export const eventLoop = {
  everyMs: 100,
  stallMs: 500,
  windowMs: 2_000,
  utilization: { idle: 0.5, busy: 0.8 },
} as const;

/**
 * Numbers of calls by state: shortest interval of sending them to watchers (`FleetWatchOptions` of src/cluster), and the
 * calls whose transitions are read for the last hours, which take at most a fiftieth of the time of a processor of the
 * database (`FleetHistoryNumbers` of src/calls).
 */
export const fleet = {
  everyMs: 1_000,
  history: { mostCalls: 1_000, restFactor: 50, forgetMs: 600_000 },
} as const;

/** Viewers of the Stately inspector (`InspectorLimits` of src/inspector). */
export const inspectorLimits = {
  viewers: 100,
  viewersOfWorkspace: 20,
  waitingBytes: 4 * 1024 * 1024,
  pingMs: 15_000,
} as const;

/** Limits of admins who listen in. The buffer for each of them holds eight seconds of audio. */
export const listenInLimits = {
  listeners: 100,
  listenersOfWorkspace: 20,
  waitingBytes: 512 * 1024,
  pingMs: 15_000,
} as const;

/**
 * Limits of browsers that receive simulated calls (sip/webphone). Reloading the page takes less than `comeBackMs`. A page
 * whose gateway died tries again at least every 15 seconds, within `resumeMs`.
 */
export const webPhones = {
  comeBackMs: 6_000,
  resumeMs: 18_000,
  /** Audio of web phones (`PhoneAudioNumbers` of sip/webphone). A call is lost later than its phone. */
  sound: { burstMs: 2_000, stallMs: 20_000 },
  limits: {
    phones: 200,
    phonesOfWorkspace: 40,
    links: 2_000,
    messageBytes: 16 * 1024,
    waitingBytes: 1024 * 1024,
    pingMs: 15_000,
  },
} as const;
