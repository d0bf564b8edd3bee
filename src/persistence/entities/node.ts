import { defineEntity, p } from '@mikro-orm/core';

/** A gateway among those that share the database, from its start to its orderly end. */
export const Node = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    name: p.text().primary(),
    /** Another one with each start. */
    instance: p.uuid(),
    /** Where other gateways reach it, as a URL. Null where it told none. */
    address: p.text().nullable(),
    /** By the clock of the database. */
    seenAt: p.datetime(3),
    /** Others found it dead; what it held is theirs to clean up. */
    lostAt: p.datetime(3).nullable(),
    /** Calls that stand by these lines it would go on with; null while it would with none. */
    takesLines: p.text().nullable(),
    /** The newest form of `CallRevival` that it reads. */
    takesForm: p.integer().nullable(),
    /** It counts calls in memory, for it has seen that nobody else is there (src/cluster/counting.ts). */
    countsAlone: p.boolean().default(false),
    /** Until then the clean-up belongs to whoever claimed it last. */
    claimedUntil: p.datetime(3).nullable(),
  },
});
