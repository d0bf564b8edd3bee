/** Messages between the page and its audio worklet. */

export const workletName = 'trunkline-sound';

/**
 * A message to the worklet: a frame of the agent's voice, `flush`, or `reset`, which restarts the counters for a new
 * connection.
 */
export type ToWorklet = ArrayBuffer | 'flush' | 'reset';

/** A message from the worklet: a microphone frame, or the number of flushed samples. */
export type FromWorklet = ArrayBuffer | { flushed: number };
