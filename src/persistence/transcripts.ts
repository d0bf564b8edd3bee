/** Transcripts: what was really heard in a call, turn by turn. Turns are written by facts (`call-facts.ts`). */
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Row } from './tables.ts';

export type TurnRecord = Omit<Row<'CallTurn'>, 'callId'>;

const turnsOf = prepared((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('CallTurn')
    .select(['sequence', 'role', 'text', 'tOffsetSec', 'spokenAt', 'whole'])
    .where('callId', '=', callId)
    .orderBy('sequence'),
);

/** The turns up to now, for a call that is known to belong to the caller. */
export const transcriptOf = (db: Statements, callId: string): Promise<TurnRecord[]> =>
  turnsOf(db, { callId });
