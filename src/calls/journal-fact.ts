import type { CallFact } from '#machines/facts.ts';

/** What is written of a call after its chart is done. */
export type AfterCallFact =
  | {
      type: 'recording.completed';
      at?: number;
      contentType: string;
      durationSec: number;
      bytes: number;
      /** Relative to the recordings folder. */
      file: string;
    }
  | { type: 'recording.failed'; at?: number }
  | { type: 'call.summarized'; at?: number; summary: string };

/** Everything that a journal takes in. */
export type JournalFact = CallFact | AfterCallFact;

type Stamped<Fact> = Fact extends { at?: number } ? Omit<Fact, 'at'> & { at: number } : never;

/** A fact with its time, wall-clock milliseconds since the epoch. */
export type StampedFact = Stamped<JournalFact>;
