import { Migration } from '@mikro-orm/migrations';
import { wordsIn } from './call-search.ts';

/** Of the calls that were summarized before the words of summaries were kept. */
export const wordsOfAllSummaries = `update call_search set words = words || ${wordsIn('call.summary')}
  from call where call.id = call_search.call_id and call.summary is not null`;

export class SearchedSummaries extends Migration {
  override up(): void {
    this.addSql(wordsOfAllSummaries);
  }
}
