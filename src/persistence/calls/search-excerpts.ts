/** Turns of transcripts in which a search by words matched, for a page of found calls. */
import { sql } from 'kysely';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';
import { separatedWords } from './call-search-words.ts';

export type FoundTurn = Pick<Row<'CallTurn'>, 'callId' | 'role' | 'text'>;

/** Text of a turn in the form in which its words were indexed. */
const words = sql<string>`${sql.raw(separatedWords('text'))}`;

/** Best turn of each call: the first of those in which most of the words occur. */
const bestTurns = kyselyQuery(
  (queries, { callIds, patterns }: { callIds: readonly string[]; patterns: readonly string[] }) =>
    queries
      .selectFrom('CallTurn')
      .distinctOn('callId')
      .select(['callId', 'role', 'text'])
      .where(({ eb, fn, val }) => eb('callId', '=', fn.any(val(callIds))))
      .where(sql<boolean>`${words} ~ any(${patterns}::text[])`)
      .orderBy('callId')
      .orderBy(
        sql`(select count(*) from unnest(${patterns}::text[]) as pattern where ${words} ~ pattern)`,
        'desc',
      )
      .orderBy('sequence'),
);

/** Pattern of a word at its beginning. A single letter matches only a whole word. Words contain no other characters. */
const patternOf = (word: string): string => `(^|\\s)${word}${word.length === 1 ? '(\\s|$)' : ''}`;

/** Returns the turn of each call that matches best. Calls without a matching turn are omitted. */
export const turnsWithWords = async (
  db: Statements,
  callIds: readonly string[],
  searched: readonly string[],
): Promise<FoundTurn[]> =>
  callIds.length === 0 ? [] : bestTurns(db, { callIds, patterns: searched.map(patternOf) });
