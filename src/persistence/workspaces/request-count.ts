import { defineEntity, p } from '@mikro-orm/core';

/** Request counts that gateways share; a crash of the database server loses them, like counts in memory. */
export const RequestCount = defineEntity({
  name: 'RequestCount',
  tableName: 'request_count',
  properties: {
    /** The limit and its owner. */
    key: p.text().primary(),
    requests: p.integer(),
    /** Time at which the whole limit is available again, by the database clock. */
    endsAt: p.datetime(3),
  },
});
