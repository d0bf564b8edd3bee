/**
 * Transcripts: the words that were actually heard in a call, turn by turn. Turns are written with facts
 * (`call-facts.ts`).
 */
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';

export type TurnRecord = Omit<Row<'CallTurn'>, 'callId'>;

const turnsOf = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('CallTurn')
    .select(['sequence', 'role', 'text', 'tOffsetSec', 'spokenAt', 'whole'])
    .where('callId', '=', callId)
    .orderBy('sequence'),
);

/** Returns the turns so far. The caller must have verified access to the call. */
export const transcriptOf = (db: Statements, callId: string): Promise<TurnRecord[]> =>
  turnsOf(db, { callId });
