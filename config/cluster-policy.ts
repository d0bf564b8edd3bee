const beatMs = 1_000;
const looksOfLease = 15;

/**
 * Seconds for which a gateway holds its calls without renewing its registration, because it is disconnected without
 * notice, or frozen. This time is longer than clients need for a database failover, and shorter than people wait in
 * silence.
 */
export const leaseSec = (looksOfLease * beatMs) / 1_000;

/**
 * Minimum time in seconds for which FreeSWITCH keeps the channels of such a gateway, so that the order is certain: the
 * lease lapses, another gateway takes over the calls, and only then does FreeSWITCH hang up the remaining channels. The
 * lapse is noticed up to two checks late; the rest of the time is for the take-over.
 */
export const shortestParkSec = 2 * leaseSec;

/**
 * Timing of gateways that share a database (`nodes/judge-nodes.ts` of src/continuity). A killed gateway is detected at
 * once if another one shares its lines (`nodes/sudden-deaths.ts`), otherwise within five seconds: its database session
 * disappears at once, while a running gateway restores its session or renews its row in less than three checks.
 */
export const cluster = {
  beatMs,
  looksWithoutSession: 3,
  looksOfLease,
  /** Gap after which a process that did not run sends no commands before its registration is renewed. */
  mostGapMs: (leaseSec * 1_000) / 2,
  looksOfLost: 0,
  claimMs: 20_000,
  /**
   * Time since the last sign of a dead gateway for which its calls are left to gateways that can resume them. By then the
   * relay and FreeSWITCH have hung up.
   */
  leaveToOthersMs: shortestParkSec * 1_000,
  /**
   * Delays between confirmations, together somewhat less than a second. After that, the periodic checks decide. On a busy
   * machine PostgreSQL needs some tenths of a second to close the connections of a dead process, so late checks are
   * frequent, too: silence lasts until the one that finds them closed.
   */
  confirmMs: [5, 5, ...Array.from({ length: 7 }, () => 10), ...Array.from({ length: 36 }, () => 20)],
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
      'all-charts': { readers: 300, waitingBytes: 4 * 1024 * 1024 },
      fleet: { readers: 300, waitingBytes: 64 * 1024 },
    },
  },
  /** Connections to all other gateways, for web phones and the inspector (`OtherGateways` of src/cluster). */
  otherGatewaysLookMs: 1_000,
  /** Links of web phones (`PhoneLinkNumbers` of src/cluster), which the other gateway pings every 15 s. */
  phoneLinks: {
    connectMs: 3_000,
    stallMs: 40_000,
    messageBytes: 1024 * 1024,
    waitingBytes: 1024 * 1024,
  },
  callFollowing: { connectMs: 3_000, stallMs: 15_000, lookMs: 1_000 },
  /**
   * Counting of calls and requests across gateways (`CountingNumbers` of src/cluster). A lease lasts for three checks.
   */
  counting: { leaseMs: 3_000, patienceMs: 5_000, impatienceMs: 30_000, retryMs: 50 },
  /** Connection to NATS: time limits and intervals (`NatsNumbers` of src/cluster). */
  nats: { connectMs: 3_000, retryMs: 1_000, lookMs: 1_000 },
} as const;
