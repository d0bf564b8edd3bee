/**
 * The platform's numbers: limits, time-outs and intervals that an operator or a reader would look for. Durations carry
 * their unit in their name. Beside their use stand the numbers of protocols (RFC timers, frames of 20 ms, what a server's
 * own documents say), those that only make a mechanism work (how often something is looked at, how loud is silence), the
 * pace of simulated people, and what the API's document promises in words.
 */
export { controlProbe, inboundAccess, mediaServers, trunkLifeTimes, trunkTimes } from './line-policy.ts';
export { cluster } from './cluster-policy.ts';
export { loadLimits } from './load-policy.ts';
export { answeringMachine, listening, turnModelLimits } from './listening-policy.ts';

/** The policy of calls where neither a number nor its workspace says otherwise (guides/design/calls.md, "Policy"). */
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

/** Where calls may not go unless `GW_DESTINATIONS` or a workspace says so: abroad, and where it costs more than a call. */
export const platformDeniedDestinations = ['premium', 'international'] as const;

/** Calls in progress over all numbers of a workspace that names no maximum of its own. */
export const platformMaxCallsInProgress = 1_000;

/** The journal of calls, which waits for an absent database. */
export const journalLimits = {
  /** Facts that may wait. */
  facts: 200_000,
  retry: { firstMs: 100, longestMs: 5_000 },
  /** Gathered for a moment, and written many at once; of a day without a database not all are kept. */
  transitions: { gatherMs: 1_000, batch: 1_000, limit: 100_000, retryMs: 5_000 },
  /** How far calls have come: after a crash so much of a conversation is unknown. */
  progress: { gatherMs: 100, batch: 500, limit: 50_000, retryMs: 1_000 },
} as const;

/**
 * The SIP messages of calls; see `CaptureLimits` of sip/drachtio/capture. They are gathered for a moment and written many
 * at once; while the database is away so many characters of them wait.
 */
export const sipTrace = {
  limits: {
    messages: 300,
    characters: 16_384,
    unclaimed: 1_000,
    unclaimedMessages: 6,
    lingerMs: 64_000,
  },
  writing: { gatherMs: 500, batch: 200, limit: 16 * 1024 * 1024, retryMs: 5_000 },
  sweeping: { everyMs: 3_600_000, batch: 2_000 },
  collector: { gatherMs: 500, limit: 5_000, lookUpMs: 60_000, closeMs: 1_000 },
} as const;

/**
 * Time limits of the database; see `PoolLimits` and `NodeSessionLimits` of src/persistence. A server is found frozen
 * within `beatMs + beatAnswerMs`: requests that wait for it are refused then, and later ones at once.
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

/** The keys that belong to the calls in progress are looked up again so often; see src/calls/live/known-keys.ts. */
export const knownKeysMs = 5_000;

/** So long a database that is silent is waited for where such a key will do: a hang-up is not to wait for it. */
export const knownKeyPatienceMs = 1_000;

/** The longest end of a gateway, beyond GW_DRAIN_SEC for calls in progress. */
export const closing = {
  /** See `EndCallsNumbers` of src/start. */
  farewellMs: 10_000,
  /** How long lines get to confirm their end when calls are hung up by the gateway itself. */
  lastEndsMs: 6_000,
  lastFactsMs: 2_000,
  /** See `HandOverNumbers` of src/calls/recovery. */
  handOver: { lookMs: 50, batch: 100, silenceMs: 3_000 },
  /** How long is waited until all that is known of calls that are handed over is written. */
  handOverWriteMs: 5_000,
  /** How long an absent database is waited for; after the second signal, only so long. */
  journalMs: 5_000,
  hurriedJournalMs: 1_000,
  /** How long requests to the API that are under way are waited for. */
  requestsMs: 5_000,
  /** How long the far ends of calls get to be written down. */
  legsMs: 2_000,
  /** After all of that, what has not ended is left. */
  longestMs: 45_000,
  /** The same, counted from the second signal. */
  hurriedMs: 12_000,
} as const;

/** See `InCallRequestsOptions` of src/calls. */
export const underway = { forMs: 5_000, lookMs: 100 } as const;

/** See `QueueLimits` of src/calls. */
export const queueLimits = { facts: 1_000, digitsMs: 60_000, transfersInVain: 20 } as const;

/** The longest waits of a call for what ends it. */
export const callTimes = {
  /** A pending hangup ends the call at the latest after this. */
  farewellWaitMs: 30_000,
  /** A line that does not confirm a hangup is given up after this. */
  hangUpTimeoutMs: 5_000,
  /** What cannot be connected to another process within this is ended. */
  adoptTimeoutMs: 5_000,
} as const;

/** Limits of a request to an agent endpoint (guides/design/agents.md, "Time limits"). */
export const agentTimes = {
  connectMs: 3_000,
  firstTokenMs: 8_000,
  wholeReplyMs: 60_000,
  handshakeMs: 3_000,
  /** Nothing came of a reply for this long: what could be spoken of it is. */
  idleFlushMs: 250,
  /** A trial of an agent by the admin API, all turns together. */
  wholeTrialMs: 60_000,
} as const;

/** A LangGraph server, beside its replies; see `GraphTimes` of src/agents. A thread has the time of the first words. */
export const graphTimes = {
  threadMs: agentTimes.firstTokenMs,
  cancelMs: 3_000,
  cancelWaitMs: 1_500,
  arrivalMs: 2_000,
} as const;

/** The built-in agent's language model. */
export const languageModelLimits = {
  connectMs: 3_000,
  connections: 2_048,
  /** A little less than any agent has, so that the failure is counted as the model's. */
  firstTokenMs: 7_500,
  summaryMs: 20_000,
} as const;

/** A streamed reply of an agent; see `EndpointWorld` of src/agents/ask-endpoint.ts. */
export const replyLimits = {
  streamBytes: 16 * 1024 * 1024,
  lineCharacters: 2 * 1024 * 1024,
} as const;

/** Requests to servers of customers. */
export const outgoingLimits = {
  /** An agent's reply beyond this is a failure, not a speech. */
  maxBodyBytes: 256 * 1024,
  /**
   * At once, over all workspaces: one alone has half of them, of two that want all each has a third (see `places.ts` of
   * src/outgoing).
   */
  requests: {
    /** For each call that GW_MAX_CALLS allows: a workspace that has all calls may have each of them asked. */
    agentsPerCall: 2,
    handshakes: 512,
    /** Agents and endpoints that are tried by hand. */
    trials: 64,
    /** More than `deliveryPolicy.inAll`: the shares of attempts are kept where they are claimed. */
    receivers: 256,
  },
  /** Look-ups of names at once, shared in the same way. */
  lookUps: 256,
  /** See `NameLimits` of src/outgoing. */
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
 * When an agent endpoint is left alone: three different calls in a row got no answer from it (no connection, or no word
 * in time), and no call got one meanwhile. Two turns in a row that fail end a call, so it is left alone only briefly.
 */
export const agentBreakers = { opensAfter: 3, coolDown: { firstMs: 1_000, longestMs: 15_000 } } as const;

/** Delivery of events (guides/design/events.md, "Delivery"). */
export const deliveryPolicy = {
  /** Delay before each attempt, seconds; after the last one the delivery is dead. */
  scheduleSec: [0, 5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400],
  /** Each delay is lengthened by up to this share of itself, so that retries do not come in step. */
  jitter: 0.2,
  /** What an endpoint may ask for with `Retry-After`. */
  longestRetryAfterSec: 86_400,
  timeoutMs: 15_000,
  /**
   * Attempts under way at once, to one endpoint and by this gateway in all. Of these a workspace alone has half, and
   * less the more others want.
   */
  perEndpoint: 5,
  inAll: 100,
  /** When an endpoint is left alone: so many deliveries in a row got no answer at all from it. */
  breakers: { opensAfter: 5, coolDown: { firstMs: 5_000, longestMs: 60_000 } },
  /** How long shutting down waits for attempts under way. */
  closeMs: 3_000,
} as const;

/** The longest time of a client of the HTTP server for its headers and its request, and of an idle connection. */
export const httpTimes = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 65_000 } as const;

/** Limits of the API; how much one key may ask is the setting GW_RATE_LIMIT. */
export const requestLimits = {
  /** How often one address may fail to authenticate. */
  failuresPerAddress: { points: 120, perSeconds: 60 },
  /** The longest instruction fits in, also where each of its characters is written as two escapes of six bytes. */
  bodyBytes: 128 * 1024,
  /** See `EventStreamTimes` of src/api/calls. */
  eventStream: {
    keepAliveMs: 15_000,
    slowReaderMs: 30_000,
    pollMs: 1_000,
    revalidateMs: 5_000,
    lateFactsMs: 60_000,
    retryMs: 2_000,
  },
  readinessMs: 2_000,
  /** So long the database is waited for that counts requests with other gateways. */
  countingMs: 3_000,
} as const;

/** Streams of events that one key may have open. */
export const streamsPerKey = 20;

/** Engines that hear and speak; see `EngineLimits` and `FailOverNumbers` of src/speech. */
export const speechEngines = {
  limits: {
    connectMs: 3_000,
    firstSoundMs: 4_000,
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
  /** Sound of sentences that are said over and over, of each synthesizer. */
  rememberedBytes: 16 * 1024 * 1024,
} as const;

/** Recordings; see `StoreLimits`, `StoreKeeperOptions` and `AbandonedNumbers` of src/recordings. */
export const recordings = {
  limits: { connectMs: 5_000, stallMs: 30_000, partBytes: 8 * 1024 * 1024 },
  uploads: {
    atOnce: 4,
    retryFirstMs: 1_000,
    retryLongestMs: 300_000,
    /** A recording that has waited a day for an absent store is completed where it lies. */
    pendingMs: 86_400_000,
  },
  /** Longer than a gateway waits for its store: whatever it had has been completed by then. */
  abandoned: { everyMs: 60_000, afterMs: 90_000_000 },
  /** See `LeftElsewhereNumbers` of src/recordings. */
  elsewhere: { everyMs: 5_000 },
  erased: { everyMs: 10_000, atOnce: 1_000 },
} as const;

/** See `RetentionNumbers` of src/start. */
export const retention = { everyMs: 60_000, batch: 200 } as const;

/** For so long it is taken for granted that the data folder can, or cannot, be written to. */
export const dataFolderMs = 5_000;

/** See `EventLoopNumbers` of src/telemetry. */
export const eventLoop = {
  everyMs: 100,
  stallMs: 500,
  windowMs: 2_000,
  utilization: { idle: 0.5, busy: 0.8 },
} as const;

/** Onlookers by the Stately inspector; see `InspectorLimits` of src/inspector. */
export const inspectorLimits = {
  viewers: 100,
  viewersOfWorkspace: 20,
  waitingBytes: 4 * 1024 * 1024,
  pingMs: 15_000,
} as const;

/** Admins who listen to calls: eight seconds of sound may wait for one. */
export const listenInLimits = {
  listeners: 100,
  listenersOfWorkspace: 20,
  waitingBytes: 512 * 1024,
  pingMs: 15_000,
} as const;

/** Browsers in which simulated calls ring; see sip/webphone. A reload of the page is quicker than `comeBackMs`. */
export const webPhones = {
  comeBackMs: 6_000,
  /** See `SoundNumbers` of sip/webphone. */
  sound: { burstMs: 2_000, stallMs: 20_000 },
  limits: {
    phones: 200,
    phonesOfWorkspace: 40,
    messageBytes: 16 * 1024,
    waitingBytes: 1024 * 1024,
    pingMs: 15_000,
  },
} as const;
