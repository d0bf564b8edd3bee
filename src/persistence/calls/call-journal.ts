/** Read access to a call's journal: facts with their words. The writing functions are in `call-facts.ts`. */
import { sql, type Expression } from 'kysely';
import type { StoredFact } from './call-facts.ts';
import { secondsBetween } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries, Row } from '../database/tables.ts';

/** A fact as API readers get it. */
export type JournalEntry = StoredFact & {
  /** Seconds from the answer; null before the answer and for unanswered calls. */
  tOffsetSec: number | null;
  /** Role of a `turn.spoken` fact; the turn's position in the transcript is `data.turn`. */
  role: Row<'CallTurn'>['role'] | null;
  text: string | null;
  whole: boolean | null;
  /** Text of a `call.summarized` fact. */
  summary: string | null;
};

/** Position of a `turn.spoken` fact in the transcript. */
const turnOf = (data: Expression<StoredFact['data']>) => sql<number>`(${data} ->> 'turn')::int`;

const facts = (queries: Queries) =>
  queries
    .selectFrom('CallFactRow as fact')
    .innerJoin('Call', 'Call.id', 'fact.callId')
    .leftJoin('CallTurn as turn', (join) =>
      join.onRef('turn.callId', '=', 'fact.callId').on(({ eb, ref }) => {
        const turn = turnOf(ref('fact.data'));
        return eb('turn.sequence', '=', eb.case().when('fact.type', '=', 'turn.spoken').then(turn).end());
      }),
    )
    .select(({ eb, ref }) => [
      'fact.sequence',
      'fact.type',
      'fact.at',
      'fact.data',
      'turn.role',
      'turn.text',
      'turn.whole',
      eb
        .case()
        .when('fact.at', '>=', ref('Call.answeredAt'))
        .then(secondsBetween(ref('Call.answeredAt'), ref('fact.at')))
        .end()
        .as('tOffsetSec'),
      eb.case().when('fact.type', '=', 'call.summarized').then(ref('Call.summary')).end().as('summary'),
    ]);

const eventsOf = kyselyQuery((queries, { callId, after }: { callId: string; after: number }) =>
  facts(queries)
    .where('fact.callId', '=', callId)
    .where('fact.sequence', '>', after)
    .orderBy('fact.sequence'),
);

const eventsOfAll = kyselyQuery((queries, { callIds }: { callIds: readonly string[] }) =>
  facts(queries)
    .select('fact.callId')
    .where('fact.callId', '=', ({ fn, val }) => fn.any(val(callIds)))
    .orderBy('fact.callId')
    .orderBy('fact.sequence'),
);

/** Returns the facts after `sequence`, in order. The caller must have verified access to the call. */
export const journalOf = (db: Statements, callId: string, after = 0): Promise<JournalEntry[]> =>
  eventsOf(db, { callId, after });

/** Returns the facts of several calls, in order, by call. The result has no entry for a call without facts. */
export const journalsOf = async (
  db: Statements,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, JournalEntry[]>> => {
  const journals = new Map<string, JournalEntry[]>();
  for (const { callId, ...fact } of await eventsOfAll(db, { callIds })) {
    const journal = journals.get(callId);
    if (journal === undefined) journals.set(callId, [fact]);
    else journal.push(fact);
  }
  return journals;
};
