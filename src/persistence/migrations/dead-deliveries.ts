import { Migration } from '@mikro-orm/migrations';

/** Dead deliveries are few among all that were ever made, and are counted again and again. */
const statement = `create index event_delivery_dead_index on event_delivery (endpoint_id) where state = 'dead'`;

export class DeadDeliveries extends Migration {
  override up(): void {
    this.addSql(statement);
  }
}
