/** What the page and its worklet say to each other. */

export const workletName = 'trunkline-sound';

/** A frame of the agent's voice; `reset`: the counts begin anew, for another connection. */
export type ToWorklet = ArrayBuffer | 'flush' | 'reset';

/** A frame of the microphone; or so many samples were flushed. */
export type FromWorklet = ArrayBuffer | { flushed: number };
