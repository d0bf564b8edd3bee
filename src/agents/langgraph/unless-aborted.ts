/**
 * Waits for `work`, but no longer than until the signal is aborted: then it rejects with the signal's reason, and
 * whatever becomes of the work is of no interest.
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
