import { defineEntity, p } from '@mikro-orm/core';

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

/** A channel of a trunk in use. The channel counts until its call ends at the latest. */
export const TrunkChannel = defineEntity({
  name: 'TrunkChannel',
  tableName: 'trunk_channel',
  properties: {
    trunkId: p.text().primary(),
    /** The column has no foreign key, because an inbound call has a channel before it is stored. */
    callId: p.uuid().primary(),
    /** Gateway that releases the channel. */
    node: p.text(),
    takenAt: p.datetime(3),
  },
});
