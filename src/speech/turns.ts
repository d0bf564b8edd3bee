/** Lets so many at once do something; the others wait in order. */
export type Turns = {
  /** Resolves when it is one's turn, with what ends the turn. Rejects with the signal's reason when that comes first. */
  take(signal?: AbortSignal): Promise<() => void>;
};

export const createTurns = (atOnce: number): Turns => {
  let free = atOnce;
  const waiting = new Set<() => void>();

  const end = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };

  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return end;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const giveUp = (): void => {
        waiting.delete(resolve);
        reject(signal?.reason);
      };
      waiting.add(resolve);
      signal?.addEventListener('abort', giveUp, { once: true });
      try {
        await promise;
      } finally {
        waiting.delete(resolve);
        signal?.removeEventListener('abort', giveUp);
      }
      return end;
    },
  };
};
