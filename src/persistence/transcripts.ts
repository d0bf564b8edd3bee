/** Transcripts: what was really heard in a call, turn by turn. Turns are written by facts (`call-facts.ts`). */
import type { Database } from './database.ts';

export type TurnRecord = {
  /** From 1. */
  sequence: number;
  role: 'assistant' | 'user';
  text: string;
  /** Seconds from the answer. */
  tOffsetSec: number;
  spokenAt: Date;
  /** False for a turn that was interrupted. */
  whole: boolean;
};

/** The turns up to now, for a call that is known to belong to the caller. */
export const transcriptOf = (db: Database, callId: string): Promise<TurnRecord[]> =>
  db.execute<TurnRecord>(
    `select sequence, role, text, t_offset_sec as "tOffsetSec", spoken_at as "spokenAt", whole
     from call_turn where call_id = $1 order by sequence`,
    [callId],
  );
