import { defineEntity, p } from '@mikro-orm/core';

/** A registered gateway, from its start to its orderly end. */
export const Node = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    name: p.text().primary(),
    /** Id of the gateway's process; changes with each start. */
    instance: p.uuid(),
    /** URL at which other gateways reach the node; null if it registered none. */
    address: p.text().nullable(),
    /** Time of the last renewal by the database clock. */
    seenAt: p.datetime(3),
    /** Time at which other gateways declared it dead; they then clean up what it held. */
    lostAt: p.datetime(3).nullable(),
    /** Line driver of the calls that it would resume; null if it would resume none. */
    takesLines: p.text().nullable(),
    /** Newest format of `CallCheckpoint` that the node reads. */
    takesForm: p.integer().nullable(),
    /** Whether the node counts calls in memory, because it has seen no other gateway (src/cluster/counting.ts). */
    countsAlone: p.boolean().default(false),
    /** End of the latest claim on the clean-up after this gateway. */
    claimedUntil: p.datetime(3).nullable(),
  },
});
