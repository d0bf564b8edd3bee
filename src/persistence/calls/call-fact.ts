import { defineEntity, p } from '@mikro-orm/core';

/**
 * Journal of a call, in order. The journal contains no spoken text: the fact of a turn refers to its row in the
 * transcript.
 */
export const CallFactRow = defineEntity({
  name: 'CallFactRow',
  tableName: 'call_fact',
  properties: {
    /** The column has no foreign key, which would cost another look-up; writers ensure that the call exists. */
    callId: p.uuid().primary(),
    sequence: p.integer().primary(),
    type: p.text(),
    at: p.datetime(3),
    data: p.json<Record<string, unknown>>(),
  },
});
