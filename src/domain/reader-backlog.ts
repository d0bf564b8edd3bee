/**
 * Counts the bytes that wait for a reader, except those written in the current turn of the event loop. These bytes had
 * no chance to be sent yet, so a burst does not make a reader count as slow.
 */
export type ReaderBacklog = {
  /** Records written bytes. Must be called after each write. */
  wrote(bytes: number): void;
  /** Returns the number of waiting bytes that the reader had time to read. */
  waiting(): number;
};

/** Creates a counter. `buffered` returns the number of all waiting bytes. */
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
