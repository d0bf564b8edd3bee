/** The platform's numbers, in one place. Durations carry their unit in their name. */

/** What a number falls back to when neither it nor its workspace says otherwise (decisions 3). */
export const platformCallPolicy = {
  maxDurationSec: 1800,
  defaultDurationSec: 600,
  silenceTimeoutSec: 30,
  ringTimeoutSec: 45,
  maxConcurrentCalls: 10,
  recordingEnabled: true,
} as const;

/** How long a call waits for what ends it. */
export const callTimes = {
  /** A pending hangup ends the call at the latest after this. */
  farewellWaitMs: 30_000,
  /** A line that does not confirm a hangup is given up after this. */
  hangUpTimeoutMs: 5_000,
} as const;

/** Limits of a request to an agent endpoint (decisions 4). */
export const agentTimes = {
  connectMs: 3_000,
  firstTokenMs: 8_000,
  wholeReplyMs: 60_000,
  handshakeMs: 3_000,
} as const;

/** An agent's reply beyond this is a failure, not a speech. */
export const maxReplyBytes = 256 * 1024;

/** Delivery of events (decisions 5). */
export const deliveryPolicy = {
  /** Delay before each attempt, seconds; after the last one the delivery is dead. */
  scheduleSec: [0, 5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400],
  /** Each delay is lengthened by up to this share of itself, so that retries do not come in step. */
  jitter: 0.2,
  timeoutMs: 15_000,
  /** Attempts under way at once, to one endpoint and in all. */
  perEndpoint: 5,
  inAll: 50,
} as const;

/** Requests a number key or admin token may make. */
export const requestLimits = {
  perKey: { points: 600, perSeconds: 60 },
  bodyBytes: 64 * 1024,
} as const;

/** How long a stored response answers a repeated Idempotency-Key (decisions 2). */
export const idempotencyHours = 24;
