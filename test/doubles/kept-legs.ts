import type { OrphanLeg, StoredLeg } from '#src/domain/sip-leg.ts';

/** Stores the legs of one process for the next one, as the checkpoints of its calls do. */
export const keepLegs = () => {
  const calls = new Map<string, readonly StoredLeg[]>();
  return {
    /** Called with the legs that a call has now. */
    store(callId: string, legs: readonly StoredLeg[]): void {
      if (legs.length === 0) calls.delete(callId);
      else calls.set(callId, legs);
    },
    kept: (): StoredLeg[] => [...calls.values()].flat(),
    /** The legs as a dead process leaves them. */
    orphans: (): OrphanLeg[] =>
      [...calls].flatMap(([callId, legs]) =>
        legs.map((one) => ({ ...one, callId: callId === one.id ? null : callId })),
      ),
    /** The call of these legs. */
    callOf: ([first]: readonly StoredLeg[]): string | undefined =>
      [...calls].find(([, legs]) => legs.some(({ id }) => id === first?.id))?.[0],
  };
};
