/** The numbers of real telephone lines; a part of the platform's numbers (`policy.ts`). */

/** The longest waits for a trunk; see `TrunkTimes` of sip/drachtio/signalling/signalling.ts. */
export const trunkTimes = {
  silenceMs: 4_000,
  answerMs: 4_000,
  patienceMs: 3_000,
  longestRestMs: 3_600_000,
  byeMs: 1_500,
  registrationSec: 600,
  /** How long a call lives without a sign of the other side (RFC 4028). */
  session: { expiresSec: 1_800, shortestSec: 90 },
} as const;

/**
 * Callers who are no trunk, or must prove that they are one; see `InboundAccessNumbers` of sip/inbound-access. Refused at
 * once a few times in a minute, then later and later.
 */
export const inboundAccess = {
  challengeMs: 10_000,
  nonceMs: 60_000,
  refusals: { atOnce: 3, firstMs: 250, longestMs: 8_000 },
} as const;

/** Times of keeping a trunk registered and asking if it is there; see `TrunkLifeTimes` of machines/trunk-life.ts. */
export const trunkLifeTimes = {
  checkMs: 30_000,
  recheckMs: 5_000,
  retryFirstMs: 2_000,
  retryLongestMs: 300_000,
} as const;

/**
 * Times of asking drachtio-server over its control connection whether it still takes in what it is sent, and the
 * longest wait of calls that stand for it, or for the relay before it, when that is lost.
 */
export const controlProbe = { everyMs: 2_000, answerMs: 2_000, comeBackMs: 5_000 } as const;

/**
 * The media servers: how many endpoints each keeps ready, what they may take, and how they are watched; see
 * `MediaServerNumbers` of sip/drachtio.
 */
export const mediaServers = {
  // Two answer a caller as soon as eight do, some 15 ms sooner than none, and cost 6 to 7 ms of the processor a call.
  pool: { size: 2, atOnce: 2, refillMs: 50, longestAgeMs: 600_000, retryMs: 500 },
  createMs: 5_000,
  busy: { afterMs: 2_000, coolDown: { firstMs: 1_000, longestMs: 8_000 } },
  answerMs: 3_000,
  probeMs: 5_000,
  // With what it takes to make sure of it, an ended unicast is opened again 200 ms after its last frame.
  silenceMs: 140,
} as const;

/** The relay that shares one drachtio-server among gateways (sip/relay). */
export const relayNumbers = {
  gateways: {
    most: 100,
    /** In which a gateway must have said the secret. */
    admissionMs: 10_000,
    /** In bytes; drachtio-server takes 12,000. */
    longestMessage: 65_536,
    /** Bytes that a gateway has not taken in: some seconds of a very busy one. */
    mostUnread: 8_000_000,
  },
  /** A far end waits for 32 s for the answer to its request (RFC 3261 section 17.1.2.2). */
  held: { longestMs: 30_000, mostRequests: 10_000, mostBytes: 16_000_000 },
  probe: controlProbe,
  mostWaiting: 262_144,
  retryAfterSec: 5,
};
