/** When a delivery is tried again (decisions 5). */

export type RetrySchedule = {
  /** Delay before each attempt, seconds: the first entry is the first attempt's. Its length is the number of attempts. */
  scheduleSec: readonly number[];
  /** Each delay is lengthened by a random share of itself up to this one, so that retries do not come in step. */
  jitter: number;
};

/**
 * Milliseconds to wait after `attempts` failed attempts of one round, or undefined when the last one is spent.
 * `random` gives a number from 0 (inclusive) to 1 (exclusive).
 */
export const retryDelayMs = (
  { scheduleSec, jitter }: RetrySchedule,
  attempts: number,
  random: () => number,
): number | undefined => {
  const delaySec = scheduleSec[attempts];
  return delaySec === undefined ? undefined : Math.round(delaySec * 1000 * (1 + jitter * random()));
};
