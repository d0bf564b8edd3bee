import { defineEntity, p } from '@mikro-orm/core';
import { Call } from './call.ts';

/**
 * Search data of an ended call, in one row, which is written with the end (`call-search-words.ts`) and deleted with the
 * call. Code that erases words of a call but keeps the call must also delete this row. Otherwise the erased words could
 * still be found.
 */
export const CallSearch = defineEntity({
  name: 'CallSearch',
  tableName: 'call_search',
  properties: {
    callId: () =>
      p
        .manyToOne(Call)
        .mapToPk()
        .primary()
        .fieldName('call_id')
        .updateRule('no action')
        .deleteRule('cascade'),
    workspaceId: p.uuid(),
    /** Copy of the call's start time, by which the newest calls are found first. */
    startedAt: p.datetime(3),
    /**
     * Words in PostgreSQL's `tsvector` form: words of caller name, instruction, transcript and summary, and suffixes of
     * the other party's number with at least four digits.
     */
    words: p.type('tsvector').$type<string>(),
  },
  indexes: [
    {
      name: 'call_search_workspace_id_started_at_call_id_index',
      properties: ['workspaceId', 'startedAt', 'callId'],
    },
    { name: 'call_search_words_index', properties: ['words'], type: 'gin' },
  ],
});
