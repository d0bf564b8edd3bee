import { Migration } from '@mikro-orm/migrations';

/** What parts words beside spaces and line ends: in some locales the server takes what is no ASCII for letters. */
const marks =
  '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~¡§«»¿·‘’‚“”„†•…‰‹›、。〈〉《》「」『』【】〔〕・！（），－．／：；？［］～｡｢｣､';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The words of these texts, as `call-words.ts` takes them. */
export const wordsIn = (texts: string): string => `strip(to_tsvector('pg_catalog.simple', lower(translate(
    left(concat_ws(' ', ${texts}), 200000), ${quoted(marks)}, repeat(' ', ${marks.length})))))`;

/** As `call-words.ts` writes them at the end of a call. */
const wordsOfCall = `
  ${wordsIn(`call.caller_name, call.instruction,
      (select string_agg(text, ' ') from call_turn where call_turn.call_id = call.id)`)}
  || array_to_tsvector(array(
    select substr(digits, place)
    from translate(left(call.counterparty, 40), '+', '') as digits, generate_series(1, length(digits) - 3) as place))`;

/** Of all calls that are over and have no row yet. */
export const wordsOfAllCalls = `insert into call_search (call_id, workspace_id, started_at, words)
  select id, workspace_id, started_at, ${wordsOfCall} from call where ended_at is not null on conflict do nothing`;

const statements = [
  `create table call_search (
    call_id uuid not null,
    workspace_id uuid not null,
    started_at timestamptz(3) not null,
    words tsvector not null,
    primary key (call_id),
    constraint call_search_call_id_foreign foreign key (call_id) references call (id) on delete cascade
  )`,
  wordsOfAllCalls,
  `create index call_search_workspace_id_started_at_call_id_index on call_search (workspace_id, started_at, call_id)`,
  `create index call_search_words_index on call_search using gin (words)`,
];

export class CallSearch extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
