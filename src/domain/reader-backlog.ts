/**
 * Counts bytes that wait for a reader, without those written in the current turn of the event loop. These had no chance
 * to be sent, so a burst does not count as a slow reader.
 */
export type ReaderBacklog = {
  /** Call this after writing. */
  wrote(bytes: number): void;
  /** Waiting bytes that the reader had time to read. */
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
