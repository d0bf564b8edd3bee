import { Migration } from '@mikro-orm/migrations';

export class TrunkSrtpOptional extends Migration {
  override up(): void {
    this.addSql('alter table trunk drop constraint trunk_srtp_check');
    this.addSql(
      `alter table trunk add constraint trunk_srtp_check check (srtp in ('off', 'optional', 'required'))`,
    );
  }
}
