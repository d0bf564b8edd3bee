import { Migration } from '@mikro-orm/migrations';

export class TrunkRefer extends Migration {
  override up(): void {
    this.addSql(`alter table trunk add column refer boolean not null default false`);
    this.addSql(`alter table trunk add column accept_refer boolean not null default false`);
  }
}
