import { defineEntity, p } from '@mikro-orm/core';
import { Call } from './call.ts';

/**
 * By what a call that is over is found: a row of each, written with its end (`call-words.ts`). It goes with the call.
 * Whoever deletes words of a call, and not the call, deletes this row as well: what is gone must not be found.
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
    /** The call's own, so that the newest are found first. */
    startedAt: p.datetime(3),
    /** As PostgreSQL compares them: the words of the transcript, and the other party's number from each digit on. */
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
