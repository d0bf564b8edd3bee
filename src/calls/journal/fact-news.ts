/**
 * Notifies subscribers that a fact of a call was written. The notification does not contain the fact: subscribers read
 * it from the journal, so they never know a fact before a read returns it, and never miss one.
 */
export type FactNews = {
  /** A fact of this call is in the database. Never throws. */
  tell(callId: string): void;
  /** Calls back after each written fact of the call; the returned function unsubscribes. */
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
      // A separate function, so that two subscriptions of one function are distinct.
      const watch = (): void => onFact();
      ofCall.add(watch);
      return () => {
        ofCall.delete(watch);
        if (ofCall.size === 0 && watching.get(callId) === ofCall) watching.delete(callId);
      };
    },
  };
};
