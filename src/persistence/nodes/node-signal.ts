import { defineEntity, p } from '@mikro-orm/core';

/** Request of one gateway to another, the holder of a call; deleted when it is answered or expired. */
export const NodeSignal = defineEntity({
  name: 'NodeSignal',
  tableName: 'node_signal',
  properties: {
    id: p.uuid().primary(),
    /** Recipient, and the requester that waits for the answer. */
    toNode: p.text(),
    fromNode: p.text(),
    request: p.json<unknown>(),
    state: p.enum(['sent', 'taken', 'answered']),
    answer: p.json<unknown>().nullable(),
    sentAt: p.datetime(3),
  },
  indexes: [{ name: 'node_signal_to_node_index', properties: ['toNode'] }],
});
