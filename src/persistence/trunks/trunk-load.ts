import { defineEntity, p } from '@mikro-orm/core';
import type { TrunkLeg } from '#src/domain/trunk.ts';

/** Shared load of a trunk with limits. The table has no foreign key, because the configured trunk has no row. */
export const TrunkLoad = defineEntity({
  name: 'TrunkLoad',
  tableName: 'trunk_load',
  properties: {
    trunkId: p.text().primary(),
    /** Earliest start of the next call, by the database clock. */
    nextCallAt: p.datetime(6),
  },
});

/** Channels of a trunk that one call uses; counted until the call ends at the latest. */
export const TrunkChannel = defineEntity({
  name: 'TrunkChannel',
  tableName: 'trunk_channel',
  properties: {
    trunkId: p.text().primary(),
    /** The column has no foreign key, because an inbound call has a channel before it is stored. */
    callId: p.uuid().primary(),
    /** Legs of the call, each with one channel; null for the one channel that an older gateway counts. */
    legs: p.array().$type<TrunkLeg[]>().nullable(),
    /** Gateway that releases the channels. */
    node: p.text(),
    takenAt: p.datetime(3),
  },
});
