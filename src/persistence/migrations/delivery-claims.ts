import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table event_delivery add column claimed_by text`,
  // Claims of before name nobody: they end with their lease.
  `create index event_delivery_claimed_by_index on event_delivery (claimed_by) where claimed_by is not null`,
];

export class DeliveryClaims extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
