/**
 * Tells who waits for it that a fact of a call was written. It says no more than that: what the fact is, everybody
 * reads from the journal, so nobody hears of a fact before a read shows it, and nobody can be behind.
 */
export type FactNews = {
  /** A fact of this call is in the database. Never throws. */
  tell(callId: string): void;
  /** Calls back after each written fact of the call; the returned function ends it. */
  watch(callId: string, onFact: () => void): () => void;
};

export const createFactNews = (): FactNews => {
  const watching = new Map<string, Set<() => void>>();
  return {
    tell(callId) {
      for (const onFact of watching.get(callId) ?? []) onFact();
    },
    watch(callId, onFact) {
      const ofCall = watching.get(callId) ?? new Set();
      watching.set(callId, ofCall);
      // A function of its own, so that two watches of one function are two.
      const watch = (): void => onFact();
      ofCall.add(watch);
      return () => {
        ofCall.delete(watch);
        if (ofCall.size === 0 && watching.get(callId) === ofCall) watching.delete(callId);
      };
    },
  };
};
