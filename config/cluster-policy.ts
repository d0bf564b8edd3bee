/**
 * Gateways that share a database; see `judge-nodes.ts` of src/cluster. A killed one is found within five seconds: its
 * session is gone at once, and a living one takes its own back, or renews its row, in less than three looks. One that
 * is cut off without a word, or frozen, keeps its calls for half a minute: that is longer than a failover of the
 * database takes its clients, and shorter than a person waits in silence.
 */
export const cluster = {
  beatMs: 1_000,
  looksWithoutSession: 3,
  looksOfLease: 30,
  looksOfLost: 0,
  claimMs: 20_000,
  /** Another gateway does what it is asked within this, or is not reached. */
  answerMs: 3_000,
  fetching: { connectMs: 3_000, stallMs: 15_000, connections: 64 },
  /** See `CallNewsLimits` and `FollowNumbers` of src/cluster. A chart is introduced with its definition. */
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
  /** See `CountingNumbers` of src/cluster. A lease lasts three looks. */
  counting: { leaseMs: 3_000, patienceMs: 5_000, impatienceMs: 30_000, retryMs: 50 },
  /** See `NatsNumbers` of src/cluster. */
  nats: { connectMs: 3_000, retryMs: 1_000, lookMs: 1_000 },
} as const;
