import type { Synthesizer } from '#sip/speech.ts';

/** Does work when a place is free. Rejects with the signal's reason when that comes first. */
export type InPlace = <Result>(
  work: () => Promise<Result>,
  signal: AbortSignal | undefined,
) => Promise<Result>;

/** So much is done at the same time; what is more waits for its turn. */
export const createPlaces = (count: number): InPlace => {
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

  return async (work, signal) => {
    await turn(signal);
    try {
      return await work();
    } finally {
      endTurn();
    }
  };
};

/** Lets at most `count` sentences be spoken at the same time, over all synthesizers that it is given; others wait. */
export const atMost = (count: number): ((synthesizer: Synthesizer) => Synthesizer) => {
  const inPlace = createPlaces(count);
  return (synthesizer) => ({
    name: synthesizer.name,
    synthesize: (text, language, signal) =>
      inPlace(() => synthesizer.synthesize(text, language, signal), signal),
  });
};
