import { Migration } from '@mikro-orm/migrations';

export class TrunkSrtp extends Migration {
  override up(): void {
    this.addSql(`alter table trunk add column srtp text not null default 'off'`);
    this.addSql(`alter table trunk add constraint trunk_srtp_check check (srtp in ('off', 'required'))`);
  }
}
