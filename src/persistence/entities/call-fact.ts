import { defineEntity, p } from '@mikro-orm/core';
import { Call } from './call.ts';

/** The journal of a call, in order. It holds no spoken text: a turn's fact names the row of the transcript. */
export const CallFactRow = defineEntity({
  name: 'CallFactRow',
  tableName: 'call_fact',
  properties: {
    callId: () => p.manyToOne(Call).mapToPk().primary().fieldName('call_id'),
    sequence: p.integer().primary(),
    type: p.text(),
    at: p.datetime(3),
    data: p.json<Record<string, unknown>>(),
  },
});
