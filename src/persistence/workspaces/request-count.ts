import { defineEntity, p } from '@mikro-orm/core';

/** Request counts that gateways share. The counts are lost if the database server crashes, as counts in memory are. */
export const RequestCount = defineEntity({
  name: 'RequestCount',
  tableName: 'request_count',
  properties: {
    /** Name of the limit and its owner. */
    key: p.text().primary(),
    requests: p.integer(),
    /** Time at which the whole limit is available again, by the database clock. */
    endsAt: p.datetime(3),
  },
});
