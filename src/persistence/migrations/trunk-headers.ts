import { Migration } from '@mikro-orm/migrations';

export class TrunkHeaders extends Migration {
  override up(): void {
    this.addSql(
      `alter table trunk add column headers_in text[] not null default '{}', add column headers_out text[] not null default '{}'`,
    );
  }
}
