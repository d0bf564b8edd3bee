/**
 * The words by which a call that is over is found, as PostgreSQL compares them. They are written by the statement that
 * ends the call, from what is in the database then; those of its summary come with that.
 */
import { expressionBuilder, sql, type Expression, type QueryCreator } from 'kysely';
import type { Row, Tables } from './tables.ts';

/** Marks that part words, beside spaces and line ends: in some locales the server takes what is no ASCII for letters. */
const marks =
  '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~¡§«»¿·‘’‚“”„†•…‰‹›、。〈〉《》「」『』【】〔〕・！（），－．／：；？［］～｡｢｣､';

/** Of a very long call the beginning is kept: the row would otherwise outgrow what the server can store. */
const mostCharacters = 200_000;

/** A number is found by any four of its digits that follow one another: it stands there from each of them on. */
const digitsFrom = (number: Expression<string>) =>
  sql<string>`array_to_tsvector(array(
    select substr(digits, place)
    from translate(left(${number}, 40), '+', '') as digits, generate_series(1, length(digits) - 3) as place
  ))`;

/** The configuration `simple` is there on every server, and takes the words of every language as they are. */
const wordsIn = (texts: readonly Expression<string | null>[]) =>
  sql<string>`strip(to_tsvector('pg_catalog.simple', lower(translate(
    left(concat_ws(' ', ${sql.join(texts)}), ${sql.lit(mostCharacters)}),
    ${sql.lit(marks)}, repeat(' ', ${sql.lit(marks.length)})
  ))))`;

/** Everything that was said in a call; null where nothing was. */
const saidIn = (callId: Expression<string>) => {
  const said = expressionBuilder<Tables>()
    .selectFrom('CallTurn')
    .select(({ ref }) => sql<string | null>`string_agg(${ref('text')}, ' ')`.as('said'))
    .where('CallTurn.callId', '=', callId);
  return sql<string | null>`${said}`;
};

/** Of the calls in `changed` that are over; `changed` has all columns of a call. */
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

/** Adds those of the summary, which comes after the end. */
export const keepingSummary = (write: QueryCreator<Tables & { changed: Row<'Call'> }>) =>
  write
    .updateTable('CallSearch')
    .from('changed')
    .whereRef('CallSearch.callId', '=', 'changed.id')
    .set(({ ref }) => ({
      words: sql<string>`${ref('CallSearch.words')} || ${wordsIn([ref('changed.summary')])}`,
    }));
