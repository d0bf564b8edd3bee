/** Limits and times of real telephone lines; part of the platform's policy (`policy.ts`). */

/** Maximum waits for a trunk (`TrunkTimes` of sip/drachtio/drachtio-lines.ts). */
export const trunkTimes = {
  silenceMs: 4_000,
  answerMs: 4_000,
  patienceMs: 3_000,
  longestCoolDownMs: 3_600_000,
  byeMs: 1_500,
  registrationSec: 600,
  /** Session timer: the time for which a call continues without a refresh by the counterparty (RFC 4028). */
  session: { expiresSec: 1_800, shortestSec: 90 },
} as const;

/**
 * Handling of inbound requests that match no trunk or require authentication (`InboundAccessNumbers` of
 * sip/inbound-access). The first few refusals in a minute are sent immediately, later ones with increasing delay.
 */
export const inboundAccess = {
  challengeMs: 10_000,
  nonceMs: 60_000,
  refusals: { atOnce: 3, firstMs: 250, longestMs: 8_000 },
} as const;

/** Intervals of a trunk's registrations and health checks (`TrunkLifeTimes` of machines/trunk-life.ts). */
export const trunkLifeTimes = {
  checkMs: 30_000,
  recheckMs: 5_000,
  retryFirstMs: 2_000,
  retryLongestMs: 300_000,
} as const;

/**
 * Intervals at which the control connection checks that drachtio-server still reads its input. `comeBackMs` is the time
 * for which calls wait for drachtio-server, or the relay in front of it, after a loss.
 */
export const controlProbe = { everyMs: 2_000, answerMs: 2_000, comeBackMs: 5_000 } as const;

/** Media servers: size of the endpoint pool, time limits and health checks (`MediaServerNumbers` of sip/drachtio). */
export const mediaServers = {
  // A pool of two endpoints answers as fast as a pool of eight, and some 15 ms faster than no pool. A pooled endpoint
  // costs more processor time, so the pool is filled again only after a pause between calls.
  pool: { size: 2, atOnce: 2, refillMs: 2_000, longestAgeMs: 600_000, retryMs: 500 },
  createMs: 5_000,
  busy: { afterMs: 2_000, coolDown: { firstMs: 1_000, longestMs: 8_000 } },
  answerMs: 3_000,
  probeMs: 5_000,
  // Silence after which a unicast that FreeSWITCH has ended is reopened. Together with the verification, the unicast is
  // open again 200 ms after its last frame.
  silenceMs: 140,
} as const;

/** The relay that shares one drachtio-server among gateways (sip/relay). */
export const relayNumbers = {
  gateways: {
    most: 100,
    /** Time limit for a gateway to authenticate with the secret. */
    admissionMs: 10_000,
    /** Maximum length in bytes. drachtio-server's limit is 12,000. */
    longestMessage: 65_536,
    /** Maximum number of unread bytes of one gateway: several seconds of traffic of a very busy gateway. */
    mostUnread: 8_000_000,
  },
  /**
   * Limits of held requests. The time is slightly shorter than the 32 s for which a far end waits for the response to
   * its request (RFC 3261 section 17.1.2.2).
   */
  held: { longestMs: 30_000, mostRequests: 10_000, mostBytes: 16_000_000 },
  probe: controlProbe,
  mostWaiting: 262_144,
  retryAfterSec: 5,
  cancelMs: 5_000,
};
