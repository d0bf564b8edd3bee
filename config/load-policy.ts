/** When no more calls are begun, so that those in progress do not wait; see src/calls/setup/load-shedding.ts. */
export const loadLimits = {
  everyMs: 250,
  /** Shares of the memory that the process may have. */
  memory: { from: 0.9, until: 0.8 },
  /** Facts that wait for the database. */
  journal: { from: 20_000, until: 10_000 },
  /** Of GW_MAX_DELAY_MS, when calls are taken again. */
  delayLeft: 0.3,
  /** Calls that begin at once: their number is looked up, or their row is written. More would only wait for each other. */
  beginning: 250,
} as const;
