import { defineEntity, p } from '@mikro-orm/core';

/** A trunk that has limits, as all gateways count it. No reference: that of the configuration has no row. */
export const TrunkLoad = defineEntity({
  name: 'TrunkLoad',
  tableName: 'trunk_load',
  properties: {
    trunkId: p.text().primary(),
    /** When the next call may go out, by the clock of the database. */
    nextCallAt: p.datetime(6),
  },
});

/** A channel of such a trunk; it counts no longer than its call lasts. */
export const TrunkChannel = defineEntity({
  name: 'TrunkChannel',
  tableName: 'trunk_channel',
  properties: {
    trunkId: p.text().primary(),
    /** No reference: a caller has a channel before the call is stored. */
    callId: p.uuid().primary(),
    /** Who gives it back. */
    node: p.text(),
    takenAt: p.datetime(3),
  },
});
