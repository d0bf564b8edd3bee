import { defineEntity, p } from '@mikro-orm/core';
import type { GatewayLoad } from '#src/domain/gateway-condition.ts';

/** A registered gateway. The row exists from the gateway's start to its orderly end. */
export const Node = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    name: p.text().primary(),
    /** Id of the gateway's process, which changes with each start. */
    instance: p.uuid(),
    /** URL at which other gateways reach the node; null if the node registered no URL. */
    address: p.text().nullable(),
    /** Time of the last renewal by the database clock. */
    seenAt: p.datetime(3),
    /** Time at which other gateways declared the node dead. Other gateways then clean up the data of its calls. */
    lostAt: p.datetime(3).nullable(),
    /** Line driver of the calls that the node would resume; null if it would resume none. */
    takesLines: p.text().nullable(),
    /** Newest format of `CallCheckpoint` that the node reads. */
    takesForm: p.integer().nullable(),
    /** Whether the node counts calls in memory, because it has seen no other gateway (src/cluster/counting.ts). */
    countsAlone: p.boolean().default(false),
    /** End of the latest claim on the clean-up after the death of this node. */
    claimedUntil: p.datetime(3).nullable(),
    /** Version of the gateway; null for versions that do not store it, like `load`. */
    version: p.text().nullable(),
    /** Load at the last renewal. */
    load: p.json<GatewayLoad>().nullable(),
  },
});
