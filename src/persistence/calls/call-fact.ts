import { defineEntity, p } from '@mikro-orm/core';

/** Journal of a call, in order. It contains no spoken text: the fact of a turn refers to its row in the transcript. */
export const CallFactRow = defineEntity({
  name: 'CallFactRow',
  tableName: 'call_fact',
  properties: {
    /** No foreign key: writers ensure that the call exists, and a foreign key would cost another look-up. */
    callId: p.uuid().primary(),
    sequence: p.integer().primary(),
    type: p.text(),
    at: p.datetime(3),
    data: p.json<Record<string, unknown>>(),
  },
});
