/**
 * Waits for `work` until the signal is aborted: then rejects with the signal's reason and ignores the result of the
 * work.
 */
export const unlessAborted = async <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> => {
  let stopWaiting = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stopWaiting = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stopWaiting);
  if (signal.aborted) stopWaiting();
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stopWaiting);
  }
};
