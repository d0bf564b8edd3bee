import { Migration } from '@mikro-orm/migrations';

export class TrunkRouting extends Migration {
  override up(): void {
    this.addSql(
      `alter table trunk add column failover_statuses text[] not null default '{401,403,407,408,429,5xx}'`,
    );
  }
}
