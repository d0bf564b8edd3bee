/** Repeats the read of a value: at intervals, after rejected reads, and on request. */

export type RepeatedRead = {
  /**
   * Reads now. During a read, reads once more after it, because the current read may miss what is new. The current read
   * is not abandoned: requests that arrive faster than reads would otherwise never show a value.
   */
  again(): void;
  close(): void;
};

/** Calls back after milliseconds; returns a function that cancels this. */
export type CallLater = (callback: () => void, milliseconds: number) => () => void;

export const repeatRead = <Value>({
  read,
  onValue,
  retryMs,
  onError,
  isHidden,
  callLater,
}: {
  read: () => Promise<Value>;
  /** Returns the milliseconds until the next read; null for none. */
  onValue: (value: Value) => number | null;
  /** Returns the milliseconds until a rejected read is repeated; null for an error that `onError` receives. */
  retryMs: (error: unknown) => number | null;
  /** After this the reads continue at the interval of the last value. */
  onError: (error: unknown) => void;
  /** Whether reads at intervals are suspended. */
  isHidden: () => boolean;
  callLater: CallLater;
}): RepeatedRead => {
  let isClosed = false;
  let isReading = false;
  let isRequested = false;
  let everyMs: number | null = null;
  let cancel = (): void => undefined;

  /** Returns the milliseconds until the next read. */
  const readOnce = async (): Promise<number | null> => {
    isRequested = false;
    try {
      const value = await read();
      if (!isClosed) everyMs = onValue(value);
    } catch (error) {
      if (isClosed) return null;
      const laterMs = retryMs(error);
      if (laterMs !== null) {
        // The retry serves reads that were requested meanwhile.
        isRequested = false;
        return laterMs;
      }
      onError(error);
    }
    return everyMs;
  };

  const readUntilCurrent = async (): Promise<void> => {
    isReading = true;
    try {
      let nextMs = await readOnce();
      while (isRequested && !isClosed) nextMs = await readOnce();
      if (nextMs !== null && !isClosed) wait(nextMs);
    } finally {
      isReading = false;
    }
  };

  const again = (): void => {
    isRequested = true;
    if (isClosed || isReading) return;
    cancel();
    void readUntilCurrent();
  };

  const wait = (milliseconds: number): void => {
    cancel = callLater(() => (isHidden() ? wait(milliseconds) : again()), milliseconds);
  };

  return {
    again,
    close() {
      isClosed = true;
      cancel();
    },
  };
};
