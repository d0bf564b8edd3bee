const beatMs = 1_000;
const looksOfLease = 15;

/**
 * Seconds for which a gateway holds its calls without renewing its registration: it is disconnected without notice, or
 * frozen. Longer than clients need for a database failover, and shorter than people wait in silence.
 */
export const leaseSec = (looksOfLease * beatMs) / 1_000;

/**
 * FreeSWITCH keeps the channels of such a gateway at least for this time, so that the order is certain: the lease
 * lapses, another gateway takes the calls over, and only then FreeSWITCH hangs up the remaining channels. The lapse is
 * noticed up to two looks late; the rest is for the take-over.
 */
export const shortestParkSec = 2 * leaseSec;

/**
 * Timing of gateways that share a database (`nodes/judge-nodes.ts` of src/continuity). A killed gateway is detected at
 * once where another one shares its lines (`nodes/sudden-deaths.ts`), otherwise within five seconds: its database
 * session disappears at once, while a running gateway restores its session or renews its row in less than three checks.
 */
export const cluster = {
  beatMs,
  looksWithoutSession: 3,
  looksOfLease,
  /** A process that did not run for this long sends nothing before its registration is renewed. */
  mostGapMs: (leaseSec * 1_000) / 2,
  looksOfLost: 0,
  claimMs: 20_000,
  /** Together somewhat less than a second: later, the looks decide. */
  confirmMs: [5, 5, 10, 10, 20, 50, 100, 200, 400],
  /** Time limit of a request to another gateway, which is then considered unreachable. */
  answerMs: 3_000,
  fetching: { connectMs: 3_000, stallMs: 15_000, connections: 64 },
  /**
   * Live events of calls on other gateways: intervals and buffer sizes (`CallNewsLimits` and `FollowNumbers` of
   * src/cluster). The first message about a chart contains its definition and is therefore larger.
   */
  callNews: {
    beatMs: 5_000,
    limits: {
      progress: { readers: 500, waitingBytes: 64 * 1024 },
      charts: { readers: 100, waitingBytes: 4 * 1024 * 1024 },
      sound: { readers: 100, waitingBytes: 256 * 1024 },
      'announced-sound': { readers: 100, waitingBytes: 256 * 1024 },
    },
  },
  callFollowing: { connectMs: 3_000, stallMs: 15_000, lookMs: 1_000 },
  /** Counting calls and requests across gateways (`CountingNumbers` of src/cluster). A lease lasts for three checks. */
  counting: { leaseMs: 3_000, patienceMs: 5_000, impatienceMs: 30_000, retryMs: 50 },
  /** Connection to NATS: time limits and intervals (`NatsNumbers` of src/cluster). */
  nats: { connectMs: 3_000, retryMs: 1_000, lookMs: 1_000 },
} as const;
