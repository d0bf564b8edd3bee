/** Load shedding: when new calls are rejected to protect those in progress; see src/calls/setup/load-shedding.ts. */
export const loadLimits = {
  everyMs: 250,
  /** Fractions of the memory available to the process. */
  memory: { from: 0.9, until: 0.8 },
  /** Journal entries waiting for the database. */
  journal: { from: 20_000, until: 10_000 },
  /** Fraction of GW_MAX_DELAY_MS below which calls are accepted again. */
  delayLeft: 0.3,
  /**
   * Maximum of calls in setup (number lookup or insert). Further calls would only compete for the same database
   * connections.
   */
  beginning: 250,
} as const;
