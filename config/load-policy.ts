/**
 * Load shedding: thresholds at which new calls are rejected to protect those in progress
 * (src/calls/setup/load-shedding.ts).
 */
export const loadLimits = {
  everyMs: 250,
  /** Fractions of the memory that is available to the process. */
  memory: { from: 0.9, until: 0.8 },
  /** Numbers of journal entries that wait for the database. */
  journal: { from: 20_000, until: 10_000 },
  /** Fraction of GW_MAX_DELAY_MS below which calls are accepted again, and above which their rate falls. */
  delayLeft: 0.3,
  /**
   * Fraction of GW_MAX_DELAY_MS. For each such delay of the event loop, half as many calls may be in setup: a gateway
   * that begins calls as fast as they arrive until it is overloaded delays the turns of all calls.
   */
  halvingDelay: 1 / 16,
  /** Rate of new calls (`CallRateNumbers` of src/calls/setup). */
  callRate: { everyMs: 250, decrease: 0.7, increase: 1.1, usual: 50, least: 5, most: 1_000, burstSec: 1 },
  /** Utilization of the event loop from which it has no time left for more calls. */
  busy: 0.6,
  /**
   * Maximum number of calls in setup (number look-up or insert). Further calls would only compete for the same database
   * connections.
   */
  beginning: 250,
} as const;
