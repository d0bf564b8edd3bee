/**
 * Waits for `work` until the signal aborts. On abort, rejects with the signal's reason and ignores the result of the
 * work.
 */
export const unlessAborted = async <Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> => {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const stopWaiting = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', stopWaiting);
  if (signal.aborted) stopWaiting();
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', stopWaiting);
  }
};
