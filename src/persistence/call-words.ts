/**
 * Search words of ended calls, in PostgreSQL's comparison form. The statement that ends the call writes them from the
 * data in the database; the words of the summary are added with the summary.
 */
import { expressionBuilder, sql, type Expression, type QueryCreator } from 'kysely';
import type { Row, Tables } from './tables.ts';

/** Word separators besides spaces and line ends: in some locales the server treats non-ASCII characters as letters. */
const marks =
  '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~¡§«»¿·‘’‚“”„†•…‰‹›、。〈〉《》「」『』【】〔〕・！（），－．／：；？［］～｡｢｣､';

/** Very long calls are indexed up to this length; otherwise the row would exceed the server's limit. */
const mostCharacters = 200_000;

/** Every suffix of a number is indexed, so that any four consecutive digits find it. */
const digitsFrom = (number: Expression<string>) =>
  sql<string>`array_to_tsvector(array(
    select substr(digits, place)
    from translate(left(${number}, 40), '+', '') as digits, generate_series(1, length(digits) - 3) as place
  ))`;

/** The configuration `simple` exists on every server and accepts words of every language unchanged. */
const wordsIn = (texts: readonly Expression<string | null>[]) =>
  sql<string>`strip(to_tsvector('pg_catalog.simple', lower(translate(
    left(concat_ws(' ', ${sql.join(texts)}), ${sql.lit(mostCharacters)}),
    ${sql.lit(marks)}, repeat(' ', ${sql.lit(marks.length)})
  ))))`;

/** The whole transcript of a call; null if it is empty. */
const saidIn = (callId: Expression<string>) => {
  const said = expressionBuilder<Tables>()
    .selectFrom('CallTurn')
    .select(({ ref }) => sql<string | null>`string_agg(${ref('text')}, ' ')`.as('said'))
    .where('CallTurn.callId', '=', callId);
  return sql<string | null>`${said}`;
};

/** Search rows of the ended calls in `changed`, which has all columns of a call. */
export const keepingWords = (write: QueryCreator<Tables & { changed: Row<'Call'> }>) =>
  write
    .insertInto('CallSearch')
    .columns(['callId', 'workspaceId', 'startedAt', 'words'])
    .expression((read) =>
      read
        .selectFrom('changed')
        .select(({ ref }) => [
          'changed.id',
          'changed.workspaceId',
          'changed.startedAt',
          sql<string>`${wordsIn([
            ref('changed.callerName'),
            ref('changed.instruction'),
            saidIn(ref('changed.id')),
          ])} || ${digitsFrom(ref('changed.counterparty'))}`.as('words'),
        ])
        .where('changed.endedAt', 'is not', null),
    )
    .onConflict((conflict) => conflict.doNothing());

/** Adds the words of the summary, which is written after the end. */
export const keepingSummary = (write: QueryCreator<Tables & { changed: Row<'Call'> }>) =>
  write
    .updateTable('CallSearch')
    .from('changed')
    .whereRef('CallSearch.callId', '=', 'changed.id')
    .set(({ ref }) => ({
      words: sql<string>`${ref('CallSearch.words')} || ${wordsIn([ref('changed.summary')])}`,
    }));
