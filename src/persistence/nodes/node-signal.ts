import { defineEntity, p } from '@mikro-orm/core';

/**
 * Request of one gateway to another, which holds a call. The row is deleted when the request is answered or expired.
 */
export const NodeSignal = defineEntity({
  name: 'NodeSignal',
  tableName: 'node_signal',
  properties: {
    id: p.uuid().primary(),
    /** Gateway that receives the request, and the gateway that waits for the answer. */
    toNode: p.text(),
    fromNode: p.text(),
    request: p.json<unknown>(),
    state: p.enum(['sent', 'taken', 'answered']),
    answer: p.json<unknown>().nullable(),
    sentAt: p.datetime(3),
  },
  indexes: [{ name: 'node_signal_to_node_index', properties: ['toNode'] }],
});
