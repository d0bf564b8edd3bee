import { defineEntity, p } from '@mikro-orm/core';

/** A request of one gateway to the one that holds a call; gone when it is answered or too late. */
export const NodeSignal = defineEntity({
  name: 'NodeSignal',
  tableName: 'node_signal',
  properties: {
    id: p.uuid().primary(),
    /** Who is asked, and who waits for the answer. */
    toNode: p.text(),
    fromNode: p.text(),
    request: p.json<unknown>(),
    state: p.enum(['sent', 'taken', 'answered']),
    answer: p.json<unknown>().nullable(),
    sentAt: p.datetime(3),
  },
  indexes: [{ name: 'node_signal_to_node_index', properties: ['toNode'] }],
});
