/**
 * Summary of the other party's waits for replies (guides/latency.md). All times are milliseconds by the gateway's
 * clock. Only turns of the agent that answer speech and were heard are included.
 */

/**
 * Percentiles by the nearest-rank method: each value is the value of a measured turn. With fewer than ten turns, `p90`
 * is the slowest turn; with fewer than a hundred, `p99` is.
 */
export type Percentiles = { p50: number; p90: number; p99: number };

/** Parts of a wait. Their sum is exactly `waitMs`. */
export type WaitShare = {
  waitMs: number;
  /** From the end of the other party's speech to the decision that its turn is over. */
  endpointingMs: number;
  /** From this decision to the request: time of the gateway. */
  gatewayMs: number;
  /** From the request to the first sentence that can be spoken: the agent, and the network to it. */
  agentMs: number;
  /** From the first sentence to its first audible sound: the synthesizer, with the silence before the first word. */
  voiceMs: number;
};

export type LatencySummary = {
  /** Number of measured turns, and of calls that have one. */
  turns: number;
  calls: number;
  waitMs: Percentiles;
  endpointingMs: Percentiles;
  /** From the request for the reply. */
  firstTokenMs: Percentiles;
  firstSentenceMs: Percentiles;
  firstAudioMs: Percentiles;
  share: WaitShare;
};

type Parts = Omit<WaitShare, 'waitMs'>;

const partNames = ['endpointingMs', 'gatewayMs', 'agentMs', 'voiceMs'] as const;

/**
 * Divides a wait in proportion to the average parts of similar waits, in whole milliseconds. The largest remainders are
 * rounded up, so that the parts add up to the wait.
 */
export const shareOf = (waitMs: number, average: Parts): WaitShare => {
  const sum = partNames.reduce((total, name) => total + average[name], 0);
  const exact = partNames.map((name) => (sum === 0 ? 0 : (average[name] / sum) * waitMs));
  const whole = exact.map(Math.floor);
  let missing = waitMs - whole.reduce((total, part) => total + part, 0);
  const byRemainder = exact
    .map((part, index) => ({ index, remainder: part - Math.floor(part) }))
    .toSorted((one, other) => other.remainder - one.remainder);
  for (const { index } of byRemainder) {
    if (missing <= 0) break;
    whole[index] = (whole[index] ?? 0) + 1;
    missing -= 1;
  }
  const [endpointingMs = 0, gatewayMs = 0, agentMs = 0, voiceMs = 0] = whole;
  return { waitMs, endpointingMs, gatewayMs, agentMs, voiceMs };
};
