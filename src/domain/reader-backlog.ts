/**
 * Bytes waiting for a reader, excluding those written in this turn of the event loop: they had no chance to leave, so a
 * burst does not make the reader slow.
 */
export type ReaderBacklog = {
  /** Call this after writing. */
  wrote(bytes: number): void;
  /** Bytes that the reader had time for. */
  waiting(): number;
};

/** `buffered`: all waiting bytes. */
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
