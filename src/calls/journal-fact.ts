import type { RecordedFact } from '#src/persistence/call-facts.ts';

/** A fact with its time, wall-clock milliseconds since the epoch. */
export type StampedFact = RecordedFact;

type Unstamped<Fact> = Fact extends { at: number } ? Omit<Fact, 'at'> & { at?: number } : never;

/** What a journal takes in: a fact that carries no time is stamped on arrival. */
export type JournalFact = Unstamped<StampedFact>;
