/** Places for tasks of which only a few may run at a time. */

/**
 * Runs tasks with limited concurrency. Rejects with the signal's reason if the signal aborts before the task begins.
 */
export type InPlace = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** Creates the limit. `count` is the number of concurrent tasks; further tasks wait in order. */
export const createPlaces = (count: number): InPlace => {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Resolves when a place is free. Rejects with the signal's reason. */
  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    if (running < count) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      waiting.delete(resolve);
      reject(signal?.reason);
    };
    waiting.add(resolve);
    signal?.addEventListener('abort', giveUp);
    await promise.finally(() => signal?.removeEventListener('abort', giveUp));
  };

  const endTurn = (): void => {
    const [next] = waiting;
    // The place is handed directly to the next waiting task.
    if (next === undefined) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  };

  return async (work, signal) => {
    await turn(signal);
    try {
      return await work();
    } finally {
      endTurn();
    }
  };
};
