import { Migration } from '@mikro-orm/migrations';

export class TrunkRouting extends Migration {
  override up(): void {
    this.addSql(
      `alter table trunk add column failover_statuses text[] not null default '{401,403,407,408,429,5xx}'`,
    );
    this.addSql(`alter table trunk add column addresses jsonb not null default '[]'`);
    this.addSql(`alter table trunk add column prefixes text[] not null default '{}'`);
    this.addSql(`alter table trunk add column drained boolean not null default false`);
    this.addSql(`alter table trunk add column redirects text not null default 'refused'`);
    this.addSql(
      `alter table trunk add constraint trunk_redirects_check check (redirects in ('refused', 'same_host', 'any'))`,
    );
  }
}
