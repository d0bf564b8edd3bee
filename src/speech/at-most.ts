import type { Synthesizer } from '#sip/speech.ts';

/** Lets at most `count` sentences be spoken at the same time, over all synthesizers that it is given; others wait. */
export const atMost = (count: number): ((synthesizer: Synthesizer) => Synthesizer) => {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Resolves when it is one's turn; rejects with the signal's reason when that comes first. */
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
    // The place goes straight to the one who waits.
    if (next === undefined) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  };

  return (synthesizer) => ({
    name: synthesizer.name,
    async synthesize(text, language, signal) {
      await turn(signal);
      try {
        return await synthesizer.synthesize(text, language, signal);
      } finally {
        endTurn();
      }
    },
  });
};
