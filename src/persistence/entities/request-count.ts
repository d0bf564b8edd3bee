import { defineEntity, p } from '@mikro-orm/core';

/** Requests that gateways have counted together; lost when the database server breaks down, as what is counted in memory is. */
export const RequestCount = defineEntity({
  name: 'RequestCount',
  tableName: 'request_count',
  properties: {
    /** Which limit, and whose. */
    key: p.text().primary(),
    requests: p.integer(),
    /** All of the limit is back then, by the clock of the database. */
    endsAt: p.datetime(3),
  },
});
