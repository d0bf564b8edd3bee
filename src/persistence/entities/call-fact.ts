import { defineEntity, p } from '@mikro-orm/core';

/** The journal of a call, in order. It holds no spoken text: a turn's fact names the row of the transcript. */
export const CallFactRow = defineEntity({
  name: 'CallFactRow',
  tableName: 'call_fact',
  properties: {
    /** Of a call that is stored, as whoever writes it sees to: the server would look it up once more. */
    callId: p.uuid().primary(),
    sequence: p.integer().primary(),
    type: p.text(),
    at: p.datetime(3),
    data: p.json<Record<string, unknown>>(),
  },
});
