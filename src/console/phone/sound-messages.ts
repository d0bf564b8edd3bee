/** Messages between the page and its audio worklet. */

export const workletName = 'trunkline-sound';

/** A frame of the agent's voice; `reset` restarts the counters for a new connection. */
export type ToWorklet = ArrayBuffer | 'flush' | 'reset';

/** A microphone frame, or the number of flushed samples. */
export type FromWorklet = ArrayBuffer | { flushed: number };
