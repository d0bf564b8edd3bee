/**
 * Search words of ended calls, in PostgreSQL's `tsvector` form. The statement that ends the call computes them from the
 * data in the database; the words of a later summary are added with the summary.
 */

/**
 * Word separators besides spaces and line ends, because in some locales the server treats non-ASCII characters as
 * letters. The last two separators are the backslash and the backtick.
 */
const separators =
  `'!"#$%&''()*+,-./:;<=>?@[]^_{|}~¡§«»¿·‘’‚“”„†•…‰‹›、。〈〉《》「」『』【】〔〕・！（），－．／：；？［］～｡｢｣､'` +
  ' || chr(92) || chr(96)';

/** Expression for a text in lower case with spaces in place of all separators. */
export const separatedWords = (text: string): string => `lower(translate(
      ${text},
      ${separators},
      repeat(' ', 82)
    ))`;

/**
 * Expression for the words in texts. The configuration `simple` exists on every server and accepts words of every
 * language unchanged. Very long texts are cut off, because the row would otherwise exceed the server's limit.
 */
const wordsIn = (texts: string) =>
  `strip(to_tsvector('pg_catalog.simple', ${separatedWords(`left(concat_ws(' ', ${texts}), 200000)`)}))`;

/** Part of a statement: inserts search rows of the ended calls in `call_after`, which has all columns of a call. */
export const newSearch = `new_search as (
  insert into call_search (call_id, workspace_id, started_at, words)
  select
    call_after.id, call_after.workspace_id, call_after.started_at,
    ${wordsIn(`call_after.caller_name, call_after.instruction, call_after.summary, (
        select string_agg(text, ' ') from call_turn where call_turn.call_id = call_after.id
      )`)}
    -- Every suffix of the number, so that any four consecutive digits find it.
    || array_to_tsvector(array(
      select substr(digits, place)
      from translate(left(call_after.counterparty, 40), '+', '') as digits,
        generate_series(1, length(digits) - 3) as place
    ))
  from call_after
  where call_after.ended_at is not null
  on conflict do nothing
)`;

/** Part of a statement: adds the words of the summary, which is written after the end, to the search row. */
export const searchesSummary = `search_after as (
  update call_search set words = call_search.words || ${wordsIn('call_after.summary')}
  from call_after
  where call_search.call_id = call_after.id
)`;
