import { defineEntity, p } from '@mikro-orm/core';

/** Journal of a call, in order. It contains no spoken text: a turn's fact refers to the row of the transcript. */
export const CallFactRow = defineEntity({
  name: 'CallFactRow',
  tableName: 'call_fact',
  properties: {
    /** No foreign key: writers ensure that the call is stored, and a key would cost another look-up. */
    callId: p.uuid().primary(),
    sequence: p.integer().primary(),
    type: p.text(),
    at: p.datetime(3),
    data: p.json<Record<string, unknown>>(),
  },
});
