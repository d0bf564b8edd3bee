import { defineEntity, p } from '@mikro-orm/core';

/** A registered gateway, from its start to its orderly end. */
export const Node = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    name: p.text().primary(),
    /** Changes with each start. */
    instance: p.uuid(),
    /** URL at which other gateways reach the node; null if it registered none. */
    address: p.text().nullable(),
    /** By the clock of the database. */
    seenAt: p.datetime(3),
    /** Time at which others declared it dead; they clean up what it held. */
    lostAt: p.datetime(3).nullable(),
    /** Lines of the calls that it would resume; null while it resumes none. */
    takesLines: p.text().nullable(),
    /** Newest format of `CallCheckpoint` that the node reads. */
    takesForm: p.integer().nullable(),
    /** Whether the node counts calls in memory, because it has seen no other gateway (src/cluster/counting.ts). */
    countsAlone: p.boolean().default(false),
    /** End of the latest claim on its clean-up. */
    claimedUntil: p.datetime(3).nullable(),
  },
});
