import { Migration } from '@mikro-orm/migrations';

export class TrunkMedia extends Migration {
  override up(): void {
    this.addSql(`alter table trunk add column media text not null default 'freeswitch'`);
    this.addSql(
      `alter table trunk add constraint trunk_media_check check (media in ('freeswitch', 'auto', 'direct'))`,
    );
  }
}
