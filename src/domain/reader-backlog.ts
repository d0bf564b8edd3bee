/**
 * Bytes that wait for a reader, without those of this turn of the event loop: what was written in one turn has had no
 * chance to leave, and a burst of ours is not the reader's slowness.
 */
export type ReaderBacklog = {
  /** To be called with what was just written. */
  wrote(bytes: number): void;
  /** Bytes that the reader has had time for. */
  waiting(): number;
};

/** `buffered`: all that waits now. */
export const createReaderBacklog = (buffered: () => number): ReaderBacklog => {
  let fresh = 0;
  return {
    wrote(bytes) {
      if (fresh === 0) setImmediate(() => (fresh = 0));
      fresh += bytes;
    },
    waiting: () => Math.max(0, buffered() - fresh),
  };
};
